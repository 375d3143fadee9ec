/**
 * Runs inside the isolate, before the caller's code: everything that code can reach beside the language itself is in
 * `installGlobals`. The host calls start, complete and report; only strings cross.
 */
import { AbortController, AbortSignal } from './isolate/abort.ts';
import { installClock, performance, startClock, VirtualDate } from './isolate/clock.ts';
import { console, openConsole } from './isolate/console.ts';
import { adviseFor, installStackTraces, reduceErrorSafely } from './isolate/errors.ts';
import { adviseNoIntegrations, missingGlobals } from './isolate/missing.ts';
import { installNativeLook } from './isolate/native-look.ts';
import { SOURCE_NAME } from './isolate/place-of-call.ts';
import { apply, defineProperty, isLongerThan, jsonParse, toText } from './isolate/primordials.ts';
import { crypto, installRandom, seedRandom } from './isolate/random.ts';
import { structuredClone } from './isolate/structured-clone.ts';
import { buildSvc } from './isolate/svc.ts';
import { atob, btoa, TextDecoder, TextEncoder } from './isolate/text.ts';
import { clearTimeout, openTimers, queueMicrotask, setInterval, setTimeout } from './isolate/timers.ts';
import { outputToJson } from './isolate/to-json.ts';
import { end, openTurns } from './isolate/turns.ts';
import { openUrl, URL, URLSearchParams } from './isolate/url.ts';

export { complete, report } from './isolate/turns.ts';

/** What the runner tells the isolate to run. */
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

/** Once, when the runner starts: long before it is known whose code will run. */
export function open(log: RunnerCallbacks['log'], fail: RunnerCallbacks['fail'], url: RunnerCallbacks['url']): void {
  callbacks = { log, fail, url };
  openTurns(fail);
  openUrl(url);
  installGlobals();
}

/** Compile the caller's code and run it until it waits. */
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
    const instead = said.includes("'export'") ? '; `return` what the code answers' : advice;
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
