import { ADVICE_WITHOUT_SVC, codedError } from './errors.ts';

const ADVICE = {
  fetch: 'Use an integration instead, for example svc.http.send_request({ method, url }).',
  XMLHttpRequest: 'Use an integration instead, for example svc.http.send_request({ method, url }).',
  WebSocket: 'There is no network here; use an integration through svc.',
  require: 'There are no modules here; use svc.<alias>.<action>(input) and the language itself.',
  process: 'There is no process here: no environment, files or arguments. Use svc.<alias>.<action>(input).',
  Buffer: 'Use TextEncoder, TextDecoder, Uint8Array, atob and btoa instead.',
} as const;

/** What callers reach for out of habit, each saying what to use instead when it is used; `typeof` alone is fine. */
export function missingGlobals(reach: 'svc' | 'inputs'): Record<string, unknown> {
  const adviceOf = (name: string, advice: string) =>
    reach === 'inputs' && name !== 'Buffer' ? `here. ${ADVICE_WITHOUT_SVC}` : `in Code Mode. ${advice}`;
  return Object.fromEntries(Object.entries(ADVICE).map(([name, advice]) => [name, missing(name, adviceOf(name, advice))]));
}

function missing(name: string, advice: string): unknown {
  const refuse = (): never => {
    throw codedError('CODE_NOT_AVAILABLE', `${name} is not available ${advice}`);
  };
  const isFunction = name !== 'process';
  return new Proxy(isFunction ? class {} : {}, {
    get: (_target, key) => (typeof key === 'symbol' ? undefined : refuse()),
    set: refuse,
    apply: refuse,
    construct: refuse,
  });
}
