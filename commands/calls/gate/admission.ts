import type { Approval } from '../../../domain/approval.ts';
import type { RecordedCall } from '../../../domain/call.ts';
import type { GatedCall, JudgedCall } from '../../../domain/judged-call.ts';
import type { Db } from '../../../infra/database.ts';
import type { Gateway } from '../../gateway.ts';

/** The answer of the gate (`admitCall`). */
export type Admission =
  /** `callId` is null if the call is recorded only after it ran. */
  | { kind: 'admitted'; inputHash: string; callId: string | null }
  | { kind: 'approval_required'; inputHash: string; approval: Approval }
  /** Another attempt at the same call came first. Its outcome is the answer. */
  | { kind: 'made_already'; inputHash: string; call: RecordedCall };

/** The gate for one kind of call, for example calls of a code run. */
export interface GatePath {
  admitUngated(gateway: Gateway, judged: JudgedCall): Promise<Admission>;
  /** The policy lets the call through: auto_approve, notify_only. */
  admitByPolicy(gateway: Gateway, gated: GatedCall): Promise<Admission>;
  admitByApproval(gateway: Gateway, gated: GatedCall): Promise<Admission>;
}

/** Records that the call starts now. Returns the id of the record. */
export type StartCall = (tx: Db, judged: JudgedCall, approval?: Approval) => Promise<string>;

/** The answer that the call must wait for this approval. */
export function waitFor(approval: Approval, { inputHash }: JudgedCall): Admission {
  return { kind: 'approval_required', inputHash, approval };
}
