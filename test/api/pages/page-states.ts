import { personalLink } from '../../../commands/approval-links.ts';
import { decideApproval } from '../../../commands/decide-approval.ts';
import { hashCode } from '../../../commands/plan-code-run.ts';
import { timeOutApproval } from '../../../commands/time-out-approval.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { CodeRunStatus } from '../../../domain/code-run.ts';
import type { Person, UserPerson } from '../../../domain/person.ts';
import type { PolicyFields } from '../../../domain/policy.ts';
import { previewInput } from '../../../domain/preview-input.ts';
import { randomId } from '../../../infra/tokens.ts';
import { consumeApproval } from '../../../store/approval-moves.ts';
import { insertApprovalPolicy } from '../../../store/approval-policies.ts';
import type { NewApproval } from '../../../store/approvals.ts';
import { insertCodeRun } from '../../../store/code-runs.ts';
import { thePolicy } from '../../support/the-policy.ts';
import { anApproval, anApprovalOf, letTimePass, linkOf, type PageBed } from './page-bed.ts';

/** Every state that an approval's page can show, each made anew; answers the link that opens it. */
export const STATES: Record<string, (bed: PageBed) => Promise<string>> = {
  'a call that waits': async (bed) => linkOf(bed, await aCallWithHistory(bed)),
  'a program that waits': async (bed) => linkOf(bed, await aProgramWithHistory(bed)),
  'a program of which not all is shown': async (bed) => linkOf(bed, await aLongProgram(bed)),
  'a call of a program that waits': async (bed) => {
    const { id } = await aRun(bed, CODE);
    return linkOf(bed, await anApprovalOf(bed, MESSAGE, { ...SLACK, codeRunId: id, callNumber: 3, source: 'mcp_code' }));
  },
  'for a person who may decide': async (bed) => asPerson(bed, await anApprovalOf(bed, MESSAGE, SLACK), await aMember(bed, 'admin')),
  'for a person who may not': async (bed) => {
    const approvers: NewApproval['approvers'] = [{ type: 'org_role', roles: ['owner', 'admin'] }];
    return asPerson(bed, await anApprovalOf(bed, MESSAGE, { ...SLACK, approvers }), await aMember(bed, 'member'));
  },
  approved: async (bed) => linkOf(bed, await decided(bed, 'approve')),
  rejected: async (bed) => linkOf(bed, await decided(bed, 'reject')),
  canceled: async (bed) => linkOf(bed, await decided(bed, 'cancel')),
  'approved, and it succeeded': async (bed) => linkOf(bed, await used(bed, 'succeeded')),
  'approved, but it failed': async (bed) => linkOf(bed, await used(bed, 'failed')),
  'approved, outcome unknown': async (bed) => linkOf(bed, await used(bed, 'unknown')),
  'approved, and the program ran': async (bed) => {
    const approval = await aProgramWithHistory(bed, 'executed');
    await approve(bed, approval);
    await consumeApproval(bed.gateway.db, approval.id);
    await recordCall(bed, approval, 'succeeded');
    return linkOf(bed, approval);
  },
  'approved, not used in time': async (bed) => {
    const approval = await decided(bed, 'approve');
    const past = bed.gateway.db.raw("now() - interval '1 second'");
    await bed.gateway.db('receipts').where({ approval_id: approval.id }).update({ expires_at: past });
    return linkOf(bed, approval);
  },
  'time is up': async (bed) => linkOf(bed, await overdue(bed)),
  expired: async (bed) => {
    const approval = await overdue(bed, { defaultOnTimeout: 'expire' });
    await timeOutApproval(bed.gateway, approval.id);
    return linkOf(bed, approval);
  },
  'a link that opens nothing': async (bed) => `${bed.origin}/approve/apr_nothing?token=x`,
};

const MESSAGE = {
  channel: '#launches',
  text: 'The invoice run for November is done: 214 invoices, 38,120.50 EUR in total. Two customers have no address yet; finance will call them on Monday.',
  notify: ['finance@example.com', 'ada@example.com'],
  unfurl: false,
};
const BEFORE = {
  channel: '#general',
  text: 'The invoice run for October is done: 209 invoices, 36,002.10 EUR in total. Two customers have no address yet; finance will call them on Friday.',
  notify: ['finance@example.com'],
  unfurl: false,
  thread: '1700000000.000100',
  headers: { Authorization: 'Bearer abcdefghijkl' },
};

export const SLACK: Partial<NewApproval> = {
  integrationName: 'slack',
  integrationAlias: 'team-slack',
  actionName: 'send_channel_message',
  policyName: 'Messages to customers and channels',
  policyVersion: 3,
  riskReasons: ['recipientAllowlist: "#launches" is not among the 2 allowed recipients', 'actionCategories: send'],
};

export async function aCallWithHistory(bed: PageBed): Promise<Approval> {
  const endUserId = randomId('user_');
  await bed.gateway.db('end_users').insert({ ...placeOf(bed), external_id: endUserId, display_name: 'Ada Lovelace' });
  const account = await anAccount(bed);
  const given = { ...SLACK, endUserId, concernedConnectionIds: [account], connectionId: account, connectionVersion: 1 };
  await approve(bed, await anApprovalOf(bed, BEFORE, given));
  const input = { ...MESSAGE, headers: { Authorization: 'Bearer mnopqrstuvwx' } };
  const approval = await anApprovalOf(bed, input, given);
  await bed.gateway.db('approvals').where({ id: approval.id }).update({ risk_score: 0.82, risk_category: 'high' });
  return approval;
}

export const CODE = `// Sends the November reminders to customers who have not paid.
const { customers } = await svc.crm.list_customers({ unpaid: true });
const apiKey = "sk_live_abcdefghijklmnop1234";

const letters = customers.map((customer) => ({
  to: customer.email,
  subject: \`Reminder for \${customer.name}\`,
}));
for (const letter of letters) {
  await svc.mail.send_email({ ...letter, body: "Please pay within 14 days." });
}
/* Tell the team.
   One message is enough. */
await svc.slack.send_channel_message({ channel: "#finance", text: "Reminders are out." });
return { sent: letters.length, ok: true };`;

export async function aProgramWithHistory(bed: PageBed, status: CodeRunStatus = 'waiting'): Promise<Approval> {
  const [{ id: mcpServerId }] = await bed.gateway
    .db('mcp_servers')
    .insert({ ...placeOf(bed), name: 'Billing agent', mode: 'CODE', auth_mode: 'bearer', end_user_access: 'open' })
    .returning('id');
  const before = CODE.replace('Please pay within 14 days.', 'Please pay soon.').replace('#finance', '#general');
  await approve(bed, await aPlan(bed, mcpServerId, before, 'executed'));
  return aPlan(bed, mcpServerId, CODE, status);
}

/** A program's approval, with the plan that would be made of it. */
export async function aPlan(bed: PageBed, mcpServerId: string | null, code: string, status: CodeRunStatus = 'waiting'): Promise<Approval> {
  const run = await aRun(bed, code, status);
  const placeIn = (text: string) => {
    const lines = code.split('\n');
    const line = lines.findIndex((line) => line.includes(text));
    return { line: line + 1, column: (lines[line]?.indexOf(text) ?? 0) + 1 };
  };
  const gated = ['mail.send_email', 'slack.send_channel_message'];
  const { preview, redactedPaths } = previewInput({
    type: 'mcp_code_batch_run',
    codeRunId: run.id,
    intentSummary: 'Sends the November reminders to customers who have not paid.',
    impactSummary:
      '3 calls found in the code, of which mail.send_email, slack.send_channel_message need approval; some calls may run several times.',
    predictedTools: [
      { tool: 'crm.list_customers', input: { unpaid: true }, repeats: false, ...placeIn('svc.crm') },
      { tool: 'mail.send_email', repeats: true, ...placeIn('svc.mail') },
      {
        tool: 'slack.send_channel_message',
        input: { channel: '#finance', text: 'Reminders are out.' },
        repeats: false,
        ...placeIn('svc.slack'),
      },
    ],
    approvalRequiredTools: gated,
    approvalGroups: [{ approvalPolicyId: POLICY_ID, approvalPolicyName: 'Outgoing messages', tools: gated }],
    availableApps: ['crm', 'mail', 'slack'],
    externalDomains: [],
    storageIndicators: [],
    analysisConfidence: 'partial',
    dynamicSignals: ['line 9: a loop of unknown length'],
    codeHash: run.codeHash,
    toolSurfaceHash: hashCode('surface'),
  });
  const place = { mcpServerId, policyId: POLICY_ID, policyName: 'Outgoing messages', policyVersion: 2, codeRunId: run.id };
  return anApproval(bed, {
    ...place,
    source: 'mcp_code',
    requestedByType: 'mcp_token',
    integrationName: 'slack',
    integrationAlias: 'slack',
    actionName: 'send_channel_message',
    riskReasons: ['actionCategories: send'],
    inputPreview: preview,
    redactedPaths,
  });
}

/** A program too long to be shown, one of whose calls has an input that is. */
export async function aLongProgram(bed: PageBed): Promise<Approval> {
  const approval = await aPlan(bed, null, `${'step();\n'.repeat(1200)}${CODE}`);
  const approvalPolicyId = approval.policyId;
  const [first, mail, slack] = approval.inputPreview.predictedTools as Record<string, unknown>[];
  const { input: _, ...read } = first!;
  const predictedTools = [
    { ...read, inputLength: 2000, inputShownLength: 0 },
    { ...mail, approvalPolicyId },
    { ...slack, approvalPolicyId, inputLength: 9000, inputShownLength: 480 },
  ];
  const inputPreview = { ...approval.inputPreview, predictedTools };
  await bed.gateway
    .db('approvals')
    .where({ id: approval.id })
    .update({ input_preview: JSON.stringify(inputPreview) });
  return approval;
}

const POLICY_ID = '11111111-1111-4111-8111-111111111111';

export async function aRun(bed: PageBed, code: string, status: CodeRunStatus = 'waiting'): Promise<{ id: string; codeHash: string }> {
  const run = { id: randomId('crun_'), codeHash: hashCode(code) };
  const { orgId, workspaceId } = bed.org;
  const asked = { mcpServerId: workspaceId, endUserId: null, requestedByType: 'mcp_token', requestedById: null } as const;
  await insertCodeRun(bed.gateway.db, { ...run, orgId, workspaceId, ...asked, code });
  await bed.gateway.db('code_runs').where({ id: run.id }).update({ status });
  return run;
}

export async function anAccount(bed: PageBed, given: Record<string, unknown> = {}): Promise<string> {
  const account = {
    ...placeOf(bed),
    external_id: randomId('con_'),
    display_name: 'Acme team bot',
    integration_name: 'slack',
    auth_method_key: 'bot-token',
    type: 'SECRET_TEXT',
    scope: 'WORKSPACE',
    sealed_credentials: Buffer.from('sealed'),
    ...given,
  };
  const [{ id }] = await bed.gateway.db('connections').insert(account).returning('id');
  return id;
}

/** A policy of the organization; answers its id. */
export async function aPolicy(bed: PageBed, given: Partial<PolicyFields>): Promise<string> {
  const { id: _, version: __, createdAt: ___, updatedAt: ____, ...fields } = thePolicy(given);
  return (await insertApprovalPolicy(bed.gateway.db, { ...fields, orgId: bed.org.orgId })).id;
}

export async function aMember(bed: PageBed, role: UserPerson['role'], displayName: string | null = 'Grace Hopper'): Promise<UserPerson> {
  const email = `${randomId('grace_')}@example.com`;
  const [{ id }] = await bed.gateway.db('users').insert({ email, display_name: displayName }).returning('id');
  await bed.gateway.db('memberships').insert({ org_id: bed.org.orgId, user_id: id, role });
  return { type: 'user', id, orgId: bed.org.orgId, role, email, displayName };
}

/** The address of an approval's page that is this person's own. */
export function asPerson(bed: PageBed, approval: Pick<Approval, 'id'>, person: Person): string {
  const { pathname, search } = new URL(personalLink(bed.gateway, approval, person));
  return `${bed.origin}${pathname}${search}`;
}

export async function approve(bed: PageBed, approval: Approval): Promise<void> {
  const by = { type: 'hosted_link', id: null } as const;
  await decideApproval(bed.gateway, { approvalId: approval.id, decision: 'approve', by, reason: 'Checked with Ada.' });
}

/** Writes down that the call was made under the approval, and how it ended. */
export async function recordCall(bed: PageBed, approval: Approval, status: string, callNumber = 1): Promise<void> {
  const { id, integrationName, actionName, inputHash, codeRunId } = approval;
  await bed.gateway.db('calls').insert({
    ...placeOf(bed),
    source: approval.source,
    integration_name: integrationName,
    action_name: actionName,
    requested_by_type: 'system',
    input_hash: inputHash,
    approval_id: id,
    status,
    ...(codeRunId === null ? {} : { code_run_id: codeRunId, call_number: callNumber }),
  });
}

async function decided(bed: PageBed, decision: 'approve' | 'reject' | 'cancel'): Promise<Approval> {
  const approval = await anApprovalOf(bed, MESSAGE, SLACK);
  const reason = decision === 'reject' ? 'This channel is public. Ask in #finance instead.' : undefined;
  await decideApproval(bed.gateway, { approvalId: approval.id, decision, by: { type: 'hosted_link', id: null }, reason });
  return approval;
}

async function used(bed: PageBed, status: string): Promise<Approval> {
  const approval = await decided(bed, 'approve');
  await consumeApproval(bed.gateway.db, approval.id);
  await recordCall(bed, approval, status);
  return approval;
}

async function overdue(bed: PageBed, given: Partial<NewApproval> = {}): Promise<Approval> {
  const approval = await anApprovalOf(bed, MESSAGE, { ...SLACK, ...given });
  await letTimePass(bed, approval.id);
  return approval;
}

function placeOf({ org }: PageBed) {
  return { org_id: org.orgId, workspace_id: org.workspaceId };
}
