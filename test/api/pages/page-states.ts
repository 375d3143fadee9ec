import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { timeOutApproval } from '../../../commands/approvals/time-out-approval.ts';
import { hashCode } from '../../../commands/code-runs/plan/plan-code-run.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { CodeRunStatus } from '../../../domain/code-run.ts';
import { previewInput } from '../../../domain/redaction/preview-input.ts';
import { randomId } from '../../../infra/tokens.ts';
import { consumeApproval } from '../../../store/approval-transitions.ts';
import type { NewApproval } from '../../../store/approvals.ts';
import { anApproval, anApprovalOf, letTimePass, linkOf, type PageBed } from './page-bed.ts';
import { aMember, anAccount, approve, aRun, asPerson, placeOf, recordCall } from './page-records.ts';

/** The states of the approval page. Each function returns a link to the page in this state. */
export const STATES: Record<string, (bed: PageBed) => Promise<string>> = {
  'a pending call': async (bed) => linkOf(bed, await aCallWithHistory(bed)),
  'a pending program': async (bed) => linkOf(bed, await aProgramWithHistory(bed)),
  'a program too long to be shown whole': async (bed) => linkOf(bed, await aLongProgram(bed)),
  'a pending call of a program': async (bed) => {
    const { id } = await aRun(bed, CODE);
    return linkOf(bed, await anApprovalOf(bed, MESSAGE, { ...SLACK, codeRunId: id, callNumber: 3, source: 'mcp_code' }));
  },
  'for a person who may decide': async (bed) => asPerson(bed, await anApprovalOf(bed, MESSAGE, SLACK), await aMember(bed, 'admin')),
  'for a person who may not decide': async (bed) => {
    const approvers: NewApproval['approvers'] = [{ type: 'org_role', roles: ['owner', 'admin'] }];
    return asPerson(bed, await anApprovalOf(bed, MESSAGE, { ...SLACK, approvers }), await aMember(bed, 'member'));
  },
  approved: async (bed) => linkOf(bed, await decided(bed, 'approve')),
  rejected: async (bed) => linkOf(bed, await decided(bed, 'reject')),
  canceled: async (bed) => linkOf(bed, await decided(bed, 'cancel')),
  'approved, and the call succeeded': async (bed) => linkOf(bed, await used(bed, 'succeeded')),
  'approved, but the call failed': async (bed) => linkOf(bed, await used(bed, 'failed')),
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
  'overdue, before the timeout is processed': async (bed) => linkOf(bed, await overdue(bed)),
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

/** Creates the approval of a program, with a plan like the planner's. */
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

/** Creates the approval of a program that is too long to be shown whole. */
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
