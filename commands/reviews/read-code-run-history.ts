import type { Approval } from '../../domain/approval.ts';
import { type CodeRun, isFinished, isResultKept, type LogLine, type RunError } from '../../domain/code-run.ts';
import type { InputPartial } from '../../domain/input-partial.ts';
import { listRunApprovals } from '../../store/approvals.ts';
import { listCallsOfRun } from '../../store/code-run-history.ts';
import { findPlan } from '../../store/code-runs.ts';
import { listPastPartials } from '../../store/past-partials.ts';
import type { RunPlan } from '../code-runs/plan/plan-code-run.ts';
import type { Gateway } from '../gateway.ts';
import { type CodePreview, previewCode } from './preview-code.ts';
import { type CallPreview, previewRunCalls } from './preview-run-calls.ts';
import { type PlanPreview, previewRunPlan } from './preview-run-plan.ts';
import { previewError, previewValue, type Shown } from './preview-value.ts';

/** The history of a run for reviewers, redacted and cut to the size of a page. */
export interface CodeRunHistory {
  run: CodeRun;
  code: CodePreview;
  error: RunError | null;
  output: { is: Shown; value: unknown };
  logs: { is: Shown; lines: LogLine[]; omitted: number };
  calls: CallPreview[];
  approvals: Approval[];
  plan: PlanPreview | null;
}

export interface HistoryReader {
  maySee(approval: Approval): boolean;
}

/**
 * Reads the history of a run. Hides enforced values of partials. If the reader may not see an
 * approval, also hides its call, the calls that may depend on this call, the message of the run's
 * error, the output and the logs.
 */
export async function readCodeRunHistory(gateway: Gateway, run: CodeRun, { maySee }: HistoryReader): Promise<CodeRunHistory> {
  const { db, config } = gateway;
  const [approvals, calls, plan, hide] = await Promise.all([
    listRunApprovals(db, run.id),
    listCallsOfRun(db, run.id),
    findPlan<RunPlan>(db, run.id),
    listHiddenTexts(gateway, run),
  ]);
  const isKept = isResultKept(run, config.code.retentionHours);
  const hidden = new Set(approvals.filter((approval) => !maySee(approval)).map(({ id }) => id));
  const is = resultIs(run, { isKept, isWithheld: hidden.size > 0, isTooLarge: !hide });
  return {
    run,
    code: await previewCode(run),
    error: run.result?.error ? previewError(run.result.error, hide, hidden.size > 0) : null,
    output: run.status === 'executed' ? { is, value: is === 'shown' ? previewValue(run.result!.output, hide!) : null } : NOTHING,
    logs: is === 'shown' ? previewLogs(run.result!.logs, hide!) : { is, lines: [], omitted: 0 },
    calls: await previewRunCalls(calls, { approvals, hidden, hide, isKept }),
    approvals,
    plan: previewRunPlan(plan, approvals, hidden),
  };
}

const NOTHING = { is: 'none', value: null } as const;

function resultIs(run: CodeRun, why: { isKept: boolean; isWithheld: boolean; isTooLarge: boolean }): Shown {
  if (!isFinished(run.status) || !run.result) return 'none';
  if (!why.isKept) return 'deleted';
  if (why.isWithheld) return 'withheld';
  return why.isTooLarge ? 'too_large' : 'shown';
}

const MAX_LINES = 200;
/** Characters of all messages together, well below the limit of one preview. */
const MAX_LENGTH = 40_000;

/** Previews the beginning of a log. */
export function previewLogs(lines: readonly LogLine[], hide: readonly string[]): CodeRunHistory['logs'] {
  let length = 0;
  const end = lines.findIndex(({ message }, index) => {
    length += message.length;
    return index > 0 && (index >= MAX_LINES || length > MAX_LENGTH);
  });
  const read = end === -1 ? lines : lines.slice(0, end);
  const messages = previewValue(
    read.map(({ message }) => message),
    hide,
  ) as string[];
  return {
    is: 'shown',
    lines: read.map((line, index) => ({ ...line, message: messages[index]! })),
    omitted: lines.length - read.length,
  };
}

/**
 * The values that partials enforce, or have enforced since the run began. Undefined if there are
 * too many to search for.
 */
export async function listHiddenTexts({ db, setups }: Pick<Gateway, 'db' | 'setups'>, run: CodeRun): Promise<string[] | undefined> {
  const [{ partials }, past] = await Promise.all([setups.of(run), listPastPartials(db, run.workspaceId, run.createdAt)]);
  return past && [...partials, ...past].flatMap(enforcedTexts);
}

function enforcedTexts({ values, enforcedKeys }: Pick<InputPartial, 'values' | 'enforcedKeys'>): string[] {
  return textsOf(enforcedKeys.map((key) => values[key]));
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : [];
}
