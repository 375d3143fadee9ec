import type { CodeRunAnswer } from '../../../../commands/code-runs/code-run-answer.ts';
import type { LogLine } from '../../../../domain/code-run.ts';
import type { GatewayError } from '../../../../domain/errors.ts';
import { errorResult, type ResultView, shownOutput } from './show-result.ts';

/** Data of the template `playground/program`. */
export interface RunResultView extends ResultView {
  runId: string | undefined;
  /** Further approvals that the run waits for. */
  others: { id: string; name: string }[];
  logs: LogLine[];
  logsLeft: number;
}

/** Maximum number of log lines. The page of the run shows more. */
const MAX_LINES = 200;
const MAX_LINE_LENGTH = 2000;

/** Describes the answer of a run: the output, the error or the pending approvals. */
export function runResult({ run, awaited, steps }: CodeRunAnswer): RunResultView {
  const logs = run.result?.logs ?? run.lastPass?.logs ?? [];
  const shared = { runId: run.id, others: [], ...shownLogs(logs) };
  if (awaited) {
    const [next, ...others] = awaited.approvals.filter(({ status }) => status === 'pending');
    const rest = others.map(({ id, policyName }) => ({ id, name: policyName ?? id }));
    const lead = awaited.progress
      ? 'The program has paused: somebody must say yes before it continues.'
      : 'The program has not begun: somebody must say yes first.';
    return {
      ...shared,
      lead,
      tone: 'waiting',
      value: undefined,
      left: undefined,
      approvalId: (next ?? awaited.approvals[0]).id,
      others: rest,
    };
  }
  const { output = null, error, timings } = run.result ?? { error: null, timings: undefined };
  if (error) {
    const where = error.line === undefined ? '' : ` (line ${error.line}, column ${error.column})`;
    return { ...shared, ...errorResult({ code: error.code, message: `${error.message}${where}` }) };
  }
  const took = timings ? ` in ${timings.totalExecuteMs.toLocaleString('en')} ms` : '';
  const calls = steps.length === 1 ? '1 call' : `${steps.length} calls`;
  return { ...shared, lead: `It ran${took} and made ${calls}.`, tone: 'good', ...shownOutput(output), approvalId: undefined };
}

/** Describes an error on starting or continuing a run. */
export function runErrorResult(error: GatewayError): RunResultView {
  const { codeRunId, ...details } = error.details ?? {};
  const shown = errorResult({ code: error.code, message: error.message, details });
  return { ...shown, runId: typeof codeRunId === 'string' ? codeRunId : undefined, others: [], logs: [], logsLeft: 0 };
}

function shownLogs(logs: readonly LogLine[]): Pick<RunResultView, 'logs' | 'logsLeft'> {
  const shown = logs.slice(0, MAX_LINES).map((line) => ({ ...line, message: line.message.slice(0, MAX_LINE_LENGTH) }));
  return { logs: shown, logsLeft: logs.length - shown.length };
}
