import { parentPort } from 'node:worker_threads';
import { findLiterals, type Literals } from './find-literals.ts';
import { importsOf } from './import-position.ts';
import { type CodePlan, planPrepared } from './plan.ts';
import type { Surface } from './plan-state.ts';
import { type PreparedCode, prepareCode, type RunnableCode } from './prepare-code.ts';
import { type Stripped, stripTypes } from './strip-types.ts';

/** What the thread is asked: for the plan, for what is run, or for the literals that begin before an offset. */
export type Question = { code: string; argument: 'svc' | 'inputs' } & (
  | { of: 'plan'; surface: Surface }
  | { of: 'runnable' }
  | { of: 'literals'; length: number }
);

export type Answer = CodePlan | RunnableCode | Literals;

/** `prepared`: what is left is to plan it. `cpuMs`: all that the thread has used by now. `broken`: a parser has overflowed, and the thread must go. */
export type Report = { kind: 'ready' | 'answer'; answer?: Answer; cpuMs: number; broken: boolean } | { kind: 'prepared' };

parentPort!.on('message', (question: Question) => {
  const prepared = prepare(question);
  report({ kind: 'prepared' });
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

// A run is planned, and then passes right away more often than not.
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
  const { code, text, syntaxError, shift } = prepared;
  return { code, text, syntaxError, shift, imports: importsOf(prepared) };
}
