import type { ApprovalReview } from '../../../commands/open-approval-link.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { ActionCategory } from '../../../domain/policy.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import { accountFacts, describeAccount, type ShownAccount } from './describe-account.ts';

/** What an approval is about, in plain words: who wants what, where, and as whom. */
export interface Described {
  /** True for the plan of a whole program rather than one call. */
  isProgram: boolean;
  what: string;
  explanation: string | null;
  asker: string;
  integration: string;
  workspace: string;
  endUser: string | null;
  /** The accounts that it acts with, or may act with where it is a program. */
  accounts: ShownAccount[];
  facts: Fact[];
}

/** One row of the facts; `code` is the exact name behind the words. */
export interface Fact {
  name: string;
  words?: string | undefined;
  code?: string | null | undefined;
}

/** Describes a call by the names that people gave things; by its exact names where there are no others. */
export function describeCall(catalog: Catalog, review: ApprovalReview): Described {
  const { approval } = review;
  const isProgram = isPlan(approval);
  const integration = catalog.find(approval.integrationName);
  const action = integration?.actions.get(approval.actionName);
  const what = isProgram ? 'Run a program' : (action?.displayName ?? approval.actionName);
  const described = {
    isProgram,
    what,
    explanation: isProgram ? null : (action?.description ?? null),
    asker: describeAsker(review),
    integration: review.instanceName ?? integration?.displayName ?? approval.integrationName,
    workspace: review.workspaceName ?? 'a workspace that was deleted',
    endUser: approval.endUserId === null ? null : (review.endUserName ?? approval.endUserId),
    accounts: review.accounts.map((account) => describeAccount(account, review)),
  };
  const takesAccount = integration ? integration.auth !== null : true;
  const kind = action && KINDS[action.category];
  return { ...described, facts: isProgram ? programFacts(described, review) : callFacts(described, review, { takesAccount, kind }) };
}

/** The plan's preview, made by ours and not a caller's input that looks like it: only approvals of a run that are not of one call hold one. */
export function isPlan(approval: Approval): boolean {
  return approval.codeRunId !== null && approval.callNumber === null && approval.inputPreview.type === 'mcp_code_batch_run';
}

/** Who asked, by the names that people gave. */
export function describeAsker({ approval, keyName, mcpServerName }: ApprovalReview): string {
  const server = mcpServerName === null ? 'an MCP server that was deleted' : `the MCP server “${mcpServerName}”`;
  const onServer = approval.mcpServerId === null ? '' : ` on ${server}`;
  if (approval.requestedByType !== 'api_key') return `${onServer ? 'An agent' : 'The service itself'}${onServer}`;
  return `${keyName === null ? 'An API key that was deleted' : `The API key “${keyName}”`}${onServer}`;
}

type Words = Omit<Described, 'facts'>;

function callFacts(
  described: Words,
  review: ApprovalReview,
  { takesAccount, kind }: { takesAccount: boolean; kind: string | undefined },
): Fact[] {
  const { approval } = review;
  const name = `${approval.integrationAlias ?? approval.integrationName}.${approval.actionName}`;
  return [
    { name: 'Action', words: described.what, code: name },
    ...(kind === undefined ? [] : [{ name: 'Kind of action', words: kind }]),
    { name: 'Integration', words: described.integration, code: approval.integrationName },
    ...(approval.integrationAlias === null ? [] : [{ name: 'Alias', code: approval.integrationAlias }]),
    ...sharedFacts(described, review),
    ...accountFacts(described.accounts, review, takesAccount),
    ...(approval.codeRunId
      ? [{ name: 'Part of', words: `Call ${approval.callNumber ?? ''} of a running program`, code: approval.codeRunId }]
      : []),
  ];
}

function programFacts(described: Words, review: ApprovalReview): Fact[] {
  return [
    ...sharedFacts(described, review),
    ...accountFacts(described.accounts, review, false),
    { name: 'Code run', code: review.approval.codeRunId },
  ];
}

function sharedFacts(described: Words, { approval, orgName }: ApprovalReview): Fact[] {
  return [
    { name: 'Workspace', words: `${described.workspace}, of the organization ${orgName}` },
    { name: 'Asked by', words: described.asker },
    { name: 'Asked through', words: SOURCES[approval.source] ?? approval.source },
    described.endUser === null
      ? { name: 'End user', words: 'None named' }
      : { name: 'End user', words: described.endUser, code: approval.endUserId },
  ];
}

/** What an action of a category does, in general. */
const KINDS: Record<ActionCategory, string> = {
  read: 'Reads data',
  write: 'Writes data',
  delete: 'Deletes data',
  send: 'Sends something to somebody',
  payment: 'Moves money',
  admin: 'Changes settings or access',
  code: 'Runs code',
  file: 'Works with files',
};

const SOURCES: Record<string, string> = {
  rest: 'REST API',
  sdk: 'SDK',
  mcp_tools: 'An MCP tool',
  mcp_code: 'Code Mode',
  playground: 'The playground',
  trigger: 'A trigger',
};
