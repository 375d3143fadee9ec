import { personalLink } from '../../commands/approval-links.ts';
import { type DecidedApproval, decideApproval } from '../../commands/decide-approval.ts';
import { decideAsPerson } from '../../commands/decide-as-person.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { listStandingApprovals } from '../../commands/standing-approvals.ts';
import type { Approval, ApprovalStatus, Decision, Receipt } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Config, SetupError } from '../../infra/config.ts';
import { findApprovalSurroundings } from '../../store/approval-reviews.ts';
import { type ApprovalCursor, findApprovalById, listApprovals } from '../../store/approvals.ts';
import { writeApprovalCursor } from './approval-cursor.ts';
import { approvalAsJson, describeApproval, describeDecider, tableOfApprovals } from './describe-approval.ts';
import { codeAsText, describeCode } from './describe-code.ts';
import { namedMember } from './named-member.ts';
import { namedOrg } from './named-org.ts';
import { onGateway } from './on-gateway.ts';
import { systemOperator } from './system-operator.ts';

export interface ListHere {
  org: string | undefined;
  status: ApprovalStatus | undefined;
  limit: number;
  after: ApprovalCursor | undefined;
}

/** The newest approvals of an organization, or those after a cursor, as a table or as JSON. */
export async function listHere(config: Config, { org: named, status, limit, after }: ListHere, json: boolean): Promise<string> {
  return onGateway(config, async ({ db }) => {
    const org = await namedOrg(db, named);
    const { items, total, next } = await listApprovals(db, { orgId: org.id, status }, { limit, after });
    const nextCursor = next && writeApprovalCursor(next);
    if (json) return JSON.stringify({ approvals: items.map(approvalAsJson), total, nextCursor }, null, 2);
    return tableOfApprovals(items, total, nextCursor);
  });
}

/** Everything that a reviewer may see of one approval, with the program of a code run. */
export async function showHere(config: Config, id: string, json: boolean): Promise<string> {
  return onGateway(config, async ({ db }) => {
    const [approval, surroundings] = await Promise.all([getApproval(db, id), findApprovalSurroundings(db, id)]);
    const run = surroundings?.run ?? null;
    if (json)
      return JSON.stringify(
        { ...approvalAsJson(approval), code: run && (await codeAsText({ code: run.code, orgId: approval.orgId })) },
        null,
        2,
      );
    const described = describeApproval(approval, surroundings?.deciderName ?? null);
    return run ? `${described}\n\n${await describeCode({ ...run, orgId: approval.orgId })}` : described;
  });
}

/** The link under which one member reviews an approval, whatever its access mode. */
export async function linkFor(config: Config, id: string, email: string): Promise<string> {
  return onGateway(config, async (gateway) => {
    const approval = await getApproval(gateway.db, id);
    return personalLink(gateway, approval, await namedMember(gateway.db, approval.orgId, email));
  });
}

export interface DecideHere {
  approvalId: string;
  decision: Decision;
  reason: string | undefined;
  /** E-mail address of the member who decides; else the operator does, by the name of the system's user. */
  as: string | undefined;
}

/** Decides an approval and says how it stands. Throws a SetupError that says who or what was first, or whom the policy asks for. */
export async function decideHere(config: Config, asked: DecideHere, json: boolean): Promise<string> {
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

/** What an approval that was just given permits. */
async function whatNext(gateway: Gateway, { id, codeRunId, callNumber }: Approval, { expiresAt }: Receipt): Promise<string> {
  const until = `until ${expiresAt.toISOString()}`;
  if (codeRunId === null) return `It may run once, ${until}.`;
  const standing = await listStandingApprovals(gateway, codeRunId);
  const awaited = standing.filter((one) => one.status === 'pending').map((one) => one.id);
  const permits = `The code run ${codeRunId} may ${callNumber === null ? 'make the calls that its plan has under this policy' : 'make this call once'}, ${until}.`;
  if (awaited.length > 0) return `${permits} It waits for ${awaited.join(', ')} as well.`;
  return `${permits} It goes on when its caller continues it with ${id}, and at once where that caller is waiting.`;
}

async function decide(gateway: Gateway, approval: Approval, { decision, reason, as }: DecideHere): Promise<DecidedApproval> {
  if (as !== undefined) {
    const person = await namedMember(gateway.db, approval.orgId, as);
    return decideAsPerson(gateway, { approval, decision, person, reason, sender: systemOperator().id });
  }
  const operator = systemOperator();
  return decideApproval(gateway, { approvalId: approval.id, decision, reason, by: operator, sender: operator.id });
}

async function explain(gateway: Gateway, id: string, error: unknown): Promise<never> {
  if (!(error instanceof GatewayError)) throw error;
  if (error.code !== 'APPROVAL_ALREADY_DECIDED') throw new SetupError(error.message);
  const [settled, surroundings] = await Promise.all([getApproval(gateway.db, id), findApprovalSurroundings(gateway.db, id)]);
  throw new SetupError(`${id} is ${settled.status} already. ${describeDecider(settled, surroundings?.deciderName ?? null)}.`);
}

async function getApproval(db: Gateway['db'], id: string): Promise<Approval> {
  const approval = await findApprovalById(db, id);
  if (approval) return approval;
  throw new SetupError(`There is no approval ${id}.`);
}
