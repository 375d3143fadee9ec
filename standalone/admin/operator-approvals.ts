import { personalLink } from '../../commands/approvals/approval-links.ts';
import { type DecidedApproval, decideApproval } from '../../commands/approvals/decide-approval.ts';
import { decideAsPerson } from '../../commands/approvals/decide-as-person.ts';
import { listCurrentApprovals } from '../../commands/code-runs/current-approvals.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { Approval, ApprovalStatus, Decision, Receipt } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Config, SetupError } from '../../infra/config.ts';
import { type ApprovalCursor, listApprovals } from '../../store/approval-list.ts';
import { findApprovalReview } from '../../store/approval-reviews.ts';
import { findApprovalById } from '../../store/approvals.ts';
import { writeApprovalCursor } from './approval-cursor.ts';
import { approvalAsJson, describeApproval, describeDecider, tableOfApprovals } from './describe-approval.ts';
import { codeAsText, describeCode } from './describe-code.ts';
import { getMember } from './get-member.ts';
import { getOrg } from './get-org.ts';
import { onGateway } from './on-gateway.ts';
import { systemOperator } from './system-operator.ts';

export interface ListApprovals {
  org: string | undefined;
  status: ApprovalStatus | undefined;
  limit: number;
  after: ApprovalCursor | undefined;
}

/** Approvals of an organization as a table or JSON. */
export async function listForOperator(config: Config, { org: named, status, limit, after }: ListApprovals, json: boolean): Promise<string> {
  return onGateway(config, async ({ db }) => {
    const org = await getOrg(db, named);
    const { items, total, next } = await listApprovals(db, { orgId: org.id, status }, { limit, after });
    const nextCursor = next && writeApprovalCursor(next);
    if (json) return JSON.stringify({ approvals: items.map(approvalAsJson), total, nextCursor }, null, 2);
    return tableOfApprovals(items, total, nextCursor);
  });
}

/** One approval as a reviewer sees it, as text or JSON. */
export async function showForOperator(config: Config, id: string, json: boolean): Promise<string> {
  return onGateway(config, async ({ db }) => {
    const { approval, run, deciderName } = (await findApprovalReview(db, id)) ?? noSuchApproval(id);
    if (json)
      return JSON.stringify(
        { ...approvalAsJson(approval), code: run && (await codeAsText({ code: run.code, orgId: approval.orgId })) },
        null,
        2,
      );
    const described = describeApproval(approval, deciderName);
    return run ? `${described}\n\n${await describeCode({ ...run, orgId: approval.orgId })}` : described;
  });
}

/** The personal link of a member to an approval, even if its access mode is `dashboard_only`. */
export async function linkForMember(config: Config, id: string, email: string): Promise<string> {
  return onGateway(config, async (gateway) => {
    const approval = await getApproval(gateway.db, id);
    return personalLink(gateway, approval, await getMember(gateway.db, approval.orgId, email));
  });
}

export interface DecideApproval {
  approvalId: string;
  decision: Decision;
  reason: string | undefined;
  /** E-mail address of the member who decides. Default: the operator. */
  as: string | undefined;
}

/** Decides an approval and describes the result. Throws SetupError when the decision is refused. */
export async function decideForOperator(config: Config, asked: DecideApproval, json: boolean): Promise<string> {
  return onGateway(config, async (gateway) => {
    const approval = await getApproval(gateway.db, asked.approvalId);
    const decided = await decide(gateway, approval, asked).catch((error) => explain(gateway, approval.id, error));
    const { receipt } = decided;
    if (json)
      return JSON.stringify(
        { approval: approvalAsJson(decided.approval), receipt: receipt && { id: receipt.id, expiresAt: receipt.expiresAt } },
        null,
        2,
      );
    const next = receipt ? ` ${await whatNext(gateway, approval, receipt)}` : '';
    return `${approval.id} is ${decided.approval.status}.${next}`;
  });
}

async function whatNext(gateway: Gateway, { id, codeRunId, callNumber }: Approval, { expiresAt }: Receipt): Promise<string> {
  const until = `until ${expiresAt.toISOString()}`;
  if (codeRunId === null) return `It may run once, ${until}.`;
  const current = await listCurrentApprovals(gateway, codeRunId);
  const awaited = current.filter((one) => one.status === 'pending').map((one) => one.id);
  const permits = `The code run ${codeRunId} may ${callNumber === null ? 'make the calls that its plan has under this policy' : 'make this call once'}, ${until}.`;
  if (awaited.length > 0) return `${permits} It waits for ${awaited.join(', ')} as well.`;
  return `${permits} It goes on when its caller continues it with ${id}, or now if the caller is waiting.`;
}

async function decide(gateway: Gateway, approval: Approval, { decision, reason, as }: DecideApproval): Promise<DecidedApproval> {
  if (as !== undefined) {
    const person = await getMember(gateway.db, approval.orgId, as);
    return decideAsPerson(gateway, { approval, decision, person, reason, sender: systemOperator().id });
  }
  const operator = systemOperator();
  return decideApproval(gateway, { approvalId: approval.id, decision, reason, by: operator, sender: operator.id });
}

async function explain(gateway: Gateway, id: string, error: unknown): Promise<never> {
  if (!(error instanceof GatewayError)) throw error;
  if (error.code !== 'APPROVAL_ALREADY_DECIDED') throw new SetupError(error.message);
  const { approval: settled, deciderName } = (await findApprovalReview(gateway.db, id)) ?? noSuchApproval(id);
  throw new SetupError(`${id} is ${settled.status} already. ${describeDecider(settled, deciderName)}.`);
}

async function getApproval(db: Gateway['db'], id: string): Promise<Approval> {
  return (await findApprovalById(db, id)) ?? noSuchApproval(id);
}

function noSuchApproval(id: string): never {
  throw new SetupError(`There is no approval ${id}.`);
}
