import { ADVICE_WITHOUT_SVC, codedError } from './errors.ts';
import { inheritingNothing } from './primordials.ts';

const USE_HTTP = 'Use an integration instead, for example svc.http.send_request({ method, url }).';
const NO_NETWORK = 'There is no network here; use an integration through svc.';

const ADVICE = {
  fetch: USE_HTTP,
  XMLHttpRequest: USE_HTTP,
  Request: USE_HTTP,
  Response: 'Calls answer plain objects, for example const { status, body } = await svc.http.send_request({ method, url }).',
  Headers: 'Give headers as a plain object, for example svc.http.send_request({ method, url, headers }).',
  FormData: 'Give the body as text or as a plain object, for example svc.http.send_request({ method, url, body }).',
  Blob: 'Use a string or a Uint8Array instead.',
  WebSocket: NO_NETWORK,
  EventSource: NO_NETWORK,
  EventTarget: 'Call functions directly; AbortSignal is the only event target here.',
  require: 'There are no modules here; use svc.<alias>.<action>(input) and the language itself.',
  process: 'There is no process here: no environment, files or arguments. Use svc.<alias>.<action>(input).',
  setImmediate: 'Use setTimeout(callback, 0) or queueMicrotask(callback) instead.',
  localStorage: 'Keep values through an integration, for example svc.kv_store.put({ key, value }).',
  Buffer: 'Use TextEncoder, TextDecoder, Uint8Array, atob and btoa instead.',
} as const;

const WITHOUT_SVC = new Set(['Buffer', 'setImmediate', 'Blob', 'EventTarget', 'performance.mark', 'performance.measure']);
const OBJECTS = new Set(['process', 'localStorage', 'crypto.subtle']);

let reach: 'svc' | 'inputs' = 'svc';

/** For code without integrations: errors then do not advise to use one. */
export function adviseNoIntegrations(): void {
  reach = 'inputs';
}

/** Globals that callers expect but that do not exist here. Their use throws; `typeof` works. */
export function missingGlobals(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(ADVICE).map(([name, advice]) => [name, missing(name, advice)]));
}

/** A global that throws when it is used. */
export function missing(name: string, advice: string): unknown {
  const canAdvise = WITHOUT_SVC.has(name);
  const refuse = (): never => {
    const where = reach === 'svc' || canAdvise ? `in Code Mode. ${advice}` : `here. ${ADVICE_WITHOUT_SVC}`;
    throw codedError('CODE_NOT_AVAILABLE', `${name} is not available ${where}`);
  };
  const traps = inheritingNothing<ProxyHandler<object>>({
    get: (_target, key) => (typeof key === 'symbol' ? undefined : refuse()),
    set: refuse,
    apply: refuse,
    construct: refuse,
  });
  return new Proxy(OBJECTS.has(name) ? {} : class {}, traps);
}
