import { parentPort } from 'node:worker_threads';
import { LINE_END } from '../../domain/truncate-code.ts';
import { type CodePlan, planPrepared } from '../plan/plan.ts';
import type { Surface } from '../plan/state.ts';
import { findLiterals, type Literals } from './find-literals.ts';
import { importsOf } from './import-position.ts';
import { type PreparedCode, prepareCode, type RunnableCode } from './prepare-code.ts';
import { type Stripped, stripTypes } from './strip-types.ts';

/** A request to the thread. `length`: only literals in the first `length` characters are wanted. */
export type Question = { code: string; argument: 'svc' | 'inputs' } & (
  | { of: 'plan'; surface: Surface }
  | { of: 'runnable' }
  | { of: 'literals'; length: number }
);

export type Answer = CodePlan | RunnableCode | Literals;

/**
 * `cpuMs`: processor time of the thread so far. `broken`: a parser overflowed, and the thread must
 * end.
 */
export type Report =
  | { kind: 'ready' | 'answer'; answer?: Answer; cpuMs: number; broken: boolean }
  | { kind: 'prepared'; runnable: RunnableCode | null };

parentPort!.on('message', (question: Question) => {
  const prepared = prepare(question);
  report({ kind: 'prepared', runnable: question.of === 'plan' ? runnableOf(prepared) : null });
  report({ kind: 'answer', answer: answer(question, prepared), cpuMs: cpuMs(), broken: isBroken });
});

let isBroken = false;
let last: { code: string; argument: string; prepared: PreparedCode } | undefined;
report({ kind: 'ready', cpuMs: cpuMs(), broken: false });

function report(what: Report): void {
  parentPort!.postMessage(what);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

// Keeps the last code, because literals are often read right after the plan.
function prepare({ code, argument }: Question): PreparedCode {
  const isSame = last?.code === code && last.argument === argument;
  if (!isSame) last = { code, argument, prepared: prepareCode(code, argument, blankTypes) };
  return last!.prepared;
}

function blankTypes(text: string): Stripped {
  const stripped = stripTypes(text);
  isBroken ||= stripped.text === null && stripped.broken;
  return stripped;
}

function answer(question: Question, prepared: PreparedCode): Answer {
  if (question.of === 'plan') return planPrepared(prepared, question.surface);
  if (question.of === 'literals') return findLiterals(question.code, prepared.text, question.length);
  return runnableOf(prepared);
}

function runnableOf(prepared: PreparedCode): RunnableCode {
  const { code, text, syntaxError, shift } = prepared;
  return { code, lineLengths: text.split(LINE_END).map(({ length }) => length), syntaxError, shift, imports: importsOf(prepared) };
}
