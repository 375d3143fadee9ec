/**
 * Runs inside the isolate, before the caller's code. Apart from the callbacks of the runner, only
 * strings cross the boundary.
 */
import { AbortController, AbortSignal } from './abort.ts';
import { installClock, performance, startClock, VirtualDate } from './clock.ts';
import { console, openConsole } from './console.ts';
import { adviseFor, installStackTraces, reduceErrorSafely } from './errors.ts';
import { adviseNoIntegrations, missingGlobals } from './missing.ts';
import { installNativeLook } from './native-look.ts';
import { SOURCE_NAME } from './place-of-call.ts';
import { apply, defineProperty, isLongerThan, jsonParse, toText } from './primordials.ts';
import { crypto, installRandom, seedRandom } from './random.ts';
import { structuredClone } from './structured-clone.ts';
import { buildSvc } from './svc.ts';
import { atob, btoa, TextDecoder, TextEncoder } from './text.ts';
import { clearTimeout, openTimers, queueMicrotask, setInterval, setTimeout } from './timers.ts';
import { outputToJson } from './to-json.ts';
import { end, openTurns } from './turns.ts';
import { openUrl, URL, URLSearchParams } from './url.ts';

export { complete, report } from './turns.ts';

/** The message that starts a program. */
export interface StartMessage {
  code: string;
  surface: Record<string, readonly string[]>;
  inputs?: string;
  seed: number[];
  startedAt: number;
  limits: { maxCalls: number; maxTimers: number; inputMaxBytes: number; outputMaxBytes: number; logMaxLines: number; logMaxBytes: number };
}

interface RunnerCallbacks {
  log(line: string): void;
  fail(code: string, message: string): void;
  url(question: string): string;
}

const AsyncFunction = (async () => {}).constructor as new (body: string) => () => Promise<unknown>;
const NO_SYNTAX = /import statement|import\.meta|Unexpected token 'export'/;

let callbacks: RunnerCallbacks;

/** Called once per isolate, before its run is known. */
export function open(log: RunnerCallbacks['log'], fail: RunnerCallbacks['fail'], url: RunnerCallbacks['url']): void {
  callbacks = { log, fail, url };
  openTurns(fail);
  openUrl(url);
  installGlobals();
}

/** Runs the caller's code until it waits. `text`: a StartMessage as JSON. */
export function start(text: string): void {
  const message = jsonParse(text) as StartMessage;
  startClock(message.startedAt);
  seedRandom(message.seed);
  openConsole(message.limits, callbacks.log);
  openTimers(message.limits.maxTimers);
  const isComputation = message.inputs !== undefined;
  const [name, value] = isComputation ? ['inputs', jsonParse(message.inputs!)] : ['svc', buildSvc(message.surface, message.limits)];
  defineProperty(globalThis, name, { value, writable: false, configurable: false, enumerable: false });
  if (isComputation) {
    adviseFor('inputs');
    adviseNoIntegrations();
  }
  const body = compile(message.code, isComputation ? '' : '; use svc.<alias>.<action>(input)');
  if (body) void run(body, message.limits.outputMaxBytes);
}

function compile(code: string, advice: string): (() => Promise<unknown>) | undefined {
  try {
    return new AsyncFunction(`${code}\n//# sourceURL=${SOURCE_NAME}`);
  } catch (error) {
    const said = toText((error as Error).message);
    const instead = said.includes("'export'") ? '; `return` the result of the code' : advice;
    const message = NO_SYNTAX.test(said) ? `${said}. There are no modules here${instead}` : said;
    end({ kind: 'threw', error: { code: 'CODE_SYNTAX_ERROR', message, isOurs: true } });
    return undefined;
  }
}

async function run(body: () => Promise<unknown>, outputMaxBytes: number): Promise<void> {
  try {
    const returned = await apply(body, undefined, []);
    const value = outputToJson(returned);
    if (isLongerThan(value, outputMaxBytes)) {
      end({
        kind: 'failed',
        error: { code: 'CODE_OUTPUT_TOO_LARGE', message: `The output is larger than ${outputMaxBytes / 1024 / 1024} MB` },
      });
    } else {
      end({ kind: 'returned', value, isNothing: returned === undefined });
    }
  } catch (error) {
    end({ kind: 'threw', error: reduceErrorSafely(error) });
  }
}

function installGlobals(): void {
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef', 'ShadowRealm', 'Temporal']) {
    delete (globalThis as Record<string, unknown>)[name];
  }
  installStackTraces();
  installClock();
  installRandom();
  install(missingGlobals());
  const own = {
    Date: VirtualDate,
    performance,
    console,
    crypto,
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval: clearTimeout,
    queueMicrotask,
    structuredClone,
    TextEncoder,
    TextDecoder,
    atob,
    btoa,
    URL,
    URLSearchParams,
    AbortController,
    AbortSignal,
  };
  install(own);
  installNativeLook([own, Error, Math.random, Intl.DateTimeFormat.prototype]);
}

function install(globals: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(globals)) {
    defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
}
