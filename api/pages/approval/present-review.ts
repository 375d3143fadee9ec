import { isDeepStrictEqual } from 'node:util';
import type { OpenedLink } from '../../../commands/approvals/open-approval-link.ts';
import type { Approval } from '../../../domain/approval.ts';
import { DECISION_REASON_MAX_LENGTH } from '../../../domain/limits.ts';
import { nameOfPerson, type Person } from '../../../domain/person.ts';
import { isRecord } from '../../../domain/unknown-values.ts';
import type { Catalog } from '../../../integrations/catalog.ts';
import type { ApprovalReview } from '../../../store/approval-reviews.ts';
import { describeReason } from '../layout/describe-reason.ts';
import { type ShownTime, showDuration, showTime, showTimeNear } from '../layout/show-time.ts';
import { type ShownValue, showValue } from '../layout/show-value.ts';
import { type Described, describeCall } from './describe-call.ts';
import { describeChoices, type ShownChoices } from './describe-choices.ts';
import { describeDecider } from './describe-decider.ts';
import { describeState } from './describe-state.ts';
import { presentChanges, type ShownChanges } from './present-changes.ts';
import { type CodeMark, presentCode, type ShownCode } from './present-code.ts';
import { presentProgram, type ShownCall, type ShownProgram } from './present-program.ts';
import type { ShownState } from './shown-state.ts';

/** The data of the approval page. */
export interface ReviewView extends Described {
  title: string;
  id: string;
  state: ShownState;
  /** Whether the approval can still be decided. */
  isWaiting: boolean;
  /** Null for a shared link. */
  viewer: { name: string; detail: string } | null;
  /** Null if the viewer may decide. */
  refusal: string | null;
  policyName: string | null;
  policyVersion: number | null;
  reasons: string[];
  risk: string | null;
  choices: ShownChoices;
  /** Null for a program. */
  input: ShownValue | null;
  /** Null for a call. */
  program: ShownProgram | null;
  /** The code of the program, or of the program that makes the call. */
  code: ShownCode | null;
  changes: ShownChanges | null;
  /** Number of values of the input that are not shown. */
  omitted: number;
  hidden: { presets: string[]; others: string[] };
  asked: ShownTime & { ago: string };
  deadline: ShownTime & { left: string; scale: 'days' | 'hours' | 'minutes' };
  decided: { by: string; at: ShownTime | null; reason: string | null } | null;
  reasonMaxLength: number;
}

/** Prepares the page of an approval. */
export async function presentReview(catalog: Catalog, review: OpenedLink): Promise<ReviewView> {
  const { approval, now, run } = review;
  const described = describeCall(catalog, review);
  const state = describeState(review, described.isProgram ? 'the program' : 'the action');
  const program = described.isProgram ? presentProgram(approval) : null;
  const input = program ? undefined : showValue(approval.inputPreview, 'input');
  if (input) markDefaults(input.shown, catalog, approval);
  return {
    ...described,
    title: `${state.label}: ${described.what}`,
    id: approval.id,
    state,
    isWaiting: approval.status === 'pending' && approval.expiresAt > now,
    viewer: review.viewer && presentViewer(review.viewer),
    refusal: review.refusal,
    policyName: approval.policyName,
    policyVersion: approval.policyVersion,
    reasons: approval.riskReasons.map((reason) => describeReason(reason, approval, described)),
    risk: presentRisk(approval),
    choices: describeChoices(review, described.isProgram),
    input: input?.shown ?? null,
    program,
    code: run && (await presentCode({ ...run, orgId: approval.orgId }, marksOf(program?.calls ?? []))),
    changes: await presentChanges(review),
    omitted: input?.omitted ?? 0,
    hidden: presentHidden(approval),
    asked: { ...showTime(approval.createdAt), ago: `${showDuration(now.getTime() - approval.createdAt.getTime())} ago` },
    deadline: presentDeadline(review),
    decided: presentDecision(review),
    reasonMaxLength: DECISION_REASON_MAX_LENGTH,
  };
}

/** Marks inputs that have the default of the action: the caller perhaps did not send them. */
function markDefaults(shown: ShownValue, catalog: Catalog, { integrationName, actionName, inputPreview }: Approval): void {
  const properties = catalog.find(integrationName)?.actions.get(actionName)?.inputSchema.properties;
  if (shown.kind !== 'fields' || !isRecord(properties)) return;
  for (const field of shown.fields) {
    const schema = properties[field.name];
    field.isDefault = isRecord(schema) && 'default' in schema && isDeepStrictEqual(schema.default, inputPreview[field.name]);
  }
}

function marksOf(calls: readonly ShownCall[]): CodeMark[] {
  return calls.flatMap(({ needsApproval, line, column, tool }, index) =>
    needsApproval ? [{ line, column, target: `call-${index + 1}`, words: 'needs approval: ', name: tool, tone: 'look' as const }] : [],
  );
}

function presentHidden({ redactedPaths, presetPaths }: Approval): ReviewView['hidden'] {
  const presets = new Set(presetPaths);
  return { presets: presetPaths.map(inCall), others: redactedPaths.filter((path) => !presets.has(path)).map(inCall) };
}

/** The index of a call becomes the number on the page, from 1. */
function inCall(path: string): string {
  return path.replace(/^predictedTools\.(\d+)\.(?:input|knownInput)\./, (_, index) => `call ${Number(index) + 1}: `);
}

function presentViewer(person: Person): { name: string; detail: string } {
  return { name: nameOfPerson(person), detail: person.type === 'user' ? person.email : person.externalId };
}

function presentRisk({ riskScore, riskCategory }: Approval): string | null {
  if (riskScore === null) return null;
  return `${riskScore.toFixed(2)} of 1${riskCategory === null ? '' : `, ${riskCategory}`}`;
}

const DAY_MS = 24 * 60 * 60 * 1000;

function presentDeadline({ approval, now }: ApprovalReview): ReviewView['deadline'] {
  const left = approval.expiresAt.getTime() - now.getTime();
  const scale = left >= DAY_MS ? 'days' : left >= DAY_MS / 24 ? 'hours' : 'minutes';
  return { ...showTimeNear(approval.expiresAt, now), left: showDuration(left), scale };
}

/** Who decided, when and why; null before the decision. */
export function presentDecision(review: OpenedLink): ReviewView['decided'] {
  const { decidedByType, decidedAt, decisionReason } = review.approval;
  if (decidedByType === null) return null;
  return { by: describeDecider(review), at: decidedAt && showTime(decidedAt), reason: decisionReason };
}
