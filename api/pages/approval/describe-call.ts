import type { Approval } from '../../../domain/approval.ts';
import type { ActionCategory } from '../../../domain/policies/policy.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import type { ApprovalReview } from '../../../store/approval-reviews.ts';
import { accountFacts, describeAccount, type ShownAccount } from './describe-account.ts';
import type { Fact } from './fact.ts';

/** The subject of an approval, in words. */
export interface Described {
  /** Whether the approval is about a plan (a whole program). */
  isProgram: boolean;
  what: string;
  explanation: string | null;
  /** The requester and the MCP server, in one phrase. */
  asker: string;
  who: string;
  through: string | null;
  integration: string;
  workspace: string;
  endUser: string | null;
  /** The accounts that the call or program may use. */
  accounts: ShownAccount[];
  facts: Fact[];
}

/** Describes a request with display names, else with exact names. */
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
    who: describeWho(review),
    through: describeServer(review),
    integration: review.instanceName ?? integration?.displayName ?? approval.integrationName,
    workspace: review.workspaceName ?? 'a workspace that was deleted',
    endUser: approval.endUserId === null ? null : (review.endUserName ?? approval.endUserId),
    accounts: review.accounts.map((account) => describeAccount(account, review)),
  };
  const takesAccount = integration ? integration.auth !== null : true;
  const kind = action && KINDS[action.category];
  return { ...described, facts: isProgram ? programFacts(described, review) : callFacts(described, review, { takesAccount, kind }) };
}

/**
 * Whether an approval is about the plan of a program. The type in the preview is not enough,
 * because a caller's input can contain the same type.
 */
export function isPlan(approval: Approval): boolean {
  return approval.codeRunId !== null && approval.callNumber === null && approval.inputPreview.type === 'mcp_code_batch_run';
}

/** The requester and the MCP server of a request, in one phrase. */
export function describeAsker(review: ApprovalReview): string {
  const server = describeServer(review);
  return [describeWho(review), server ?? []].flat().join(', through ');
}

function describeWho({ approval, keyName, memberName }: ApprovalReview): string {
  if (approval.requestedByType === 'user') return memberName ?? 'A former member';
  if (approval.requestedByType !== 'api_key') return approval.mcpServerId === null ? 'The service itself' : 'An agent';
  return keyName === null ? 'An API key that was deleted' : `The API key "${keyName}"`;
}

function describeServer({ approval, mcpServerName }: ApprovalReview): string | null {
  if (approval.mcpServerId === null) return null;
  return mcpServerName === null ? 'an MCP server that was deleted' : `"${mcpServerName}"`;
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
    ...(approval.codeRunId ? [{ name: 'Part of', words: partOf(approval), code: approval.codeRunId }] : []),
  ];
}

function partOf({ callNumber }: ApprovalReview['approval']): string {
  return callNumber === null ? 'A running program' : `Call ${callNumber + 1} of a running program`;
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
      : { name: 'End user', ...(described.endUser !== approval.endUserId && { words: described.endUser }), code: approval.endUserId },
  ];
}

const KINDS: Record<ActionCategory, string> = {
  read: 'Reads data',
  write: 'Writes data',
  delete: 'Deletes data',
  send: 'Sends something to others',
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
