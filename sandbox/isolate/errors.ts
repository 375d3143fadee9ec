import type { ThrownError } from '../host/pass.ts';
import { looksNative } from './native-look.ts';
import { isPlaceAsked, LINES_BEFORE_BODY, learnSites, SOURCE_NAME } from './place-of-call.ts';
import { defineProperty, matches, RealError, RealWeakMap, slice, toNumber, toText, uncurry, weakGet, weakSet } from './primordials.ts';

/** The advice for code without integrations. */
export const ADVICE_WITHOUT_SVC = 'This code can compute with its inputs; it reaches no network, no files and no modules.';

const MESSAGE_MAX_LENGTH = 4000;
const FRAME_POSITION = /\bcode\.js:(\d+):(\d+)/;
const POSITION = /\n {4}at [^\n]*\bcode\.js:(\d{1,7}):(\d{1,7})(?!\d)/;
/** Messages of errors that the engine throws instead of ending the process. */
const OUT_OF_MEMORY = /^(Array buffer allocation failed|Invalid string length|[\w.]+: Out of memory)$/;
const REFUSED_IMPORT = 'Not supported';
const NO_IMPORT = {
  svc: 'import() is not available in Code Mode. There are no modules here; use svc.<alias>.<action>(input).',
  inputs: `import() is not available here. ${ADVICE_WITHOUT_SVC}`,
};
let noImport = NO_IMPORT.svc;
const errorToText = uncurry(RealError.prototype.toString);
const ERROR_CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Chooses the advice in errors. `inputs`: the code has no integrations. */
export function adviseFor(reach: keyof typeof NO_IMPORT): void {
  noImport = NO_IMPORT[reach];
}

/**
 * From now on, stack traces show only the caller's code, with its line numbers. The caller cannot
 * set another hook, because a hook sees every frame.
 */
export function installStackTraces(): void {
  const siteToText = textOfSites();
  const prepareStackTrace = looksNative((error: Error, sites: readonly unknown[]) => {
    if (isPlaceAsked(sites)) return '';
    let stack = text(() => errorToText(error));
    for (let index = 0; index < sites.length; index++) {
      const frame = text(() => siteToText(sites[index]));
      const found = matches(FRAME_POSITION, frame);
      if (!found) continue;
      const position = `${SOURCE_NAME}:${toNumber(found[1]) - LINES_BEFORE_BODY}:${found[2]}`;
      stack += `\n    at ${slice(frame, 0, found.index)}${position}${slice(frame, found.index + found[0].length)}`;
    }
    return stack;
  });
  defineProperty(RealError, 'prepareStackTrace', { get: () => prepareStackTrace, set: () => {}, configurable: false });
}

/** Returns the engine's `toString` of a frame. A replaced one could leak the frame. */
function textOfSites(): (site: unknown) => string {
  const errors = RealError as unknown as { prepareStackTrace?: (error: Error, sites: object[]) => object[] };
  errors.prepareStackTrace = (_error, sites) => sites;
  const [site] = new RealError().stack as unknown as object[];
  learnSites(site!);
  return uncurry(site!.toString as (this: unknown) => string);
}

/** The caller's program can set any `code` on an error, but cannot add to this map. */
const codes = new RealWeakMap<object, string>();

/** An error with a `code`, as the caller's program sees it. */
export function codedError(code: string, message: string, error: Error = new RealError()): Error & { code: string } {
  define(error, 'message', message);
  define(error, 'code', code);
  weakSet(codes, error, code);
  // A call creates its error before the failure is known, so the first line of the stack is
  // replaced.
  const frames = matches(
    /\n {4}at [\s\S]*$/,
    text(() => error.stack),
  );
  define(error, 'stack', `Error: ${message}${frames ? frames[0] : ''}`);
  return error as Error & { code: string };
}

/** Describes any thrown value for the host. Reading the value may run the caller's getters. */
export function reduceError(thrown: unknown): ThrownError {
  if (typeof thrown !== 'object' || thrown === null) return { code: 'CODE_ERROR', isOurs: true, message: cut(describeThrown(thrown)) };
  const { name, message, code, stack } = thrown as Record<string, unknown>;
  if (message === REFUSED_IMPORT)
    return { code: 'CODE_NOT_AVAILABLE', isOurs: true, message: noImport, ...positionIn(typeof stack === 'string' ? stack : '') };
  const own = typeof code === 'string' && matches(ERROR_CODE, code) ? code : undefined;
  return {
    code: own ?? codeOf(message),
    isOurs: own === undefined || weakGet(codes, thrown) === own,
    message: cut(`${withName(name, message)}${moduleAdvice(message)}`),
    ...positionIn(typeof stack === 'string' ? stack : ''),
  };
}

/** Like `reduceError`, also for a value that cannot be read. Never throws. */
export function reduceErrorSafely(thrown: unknown): ThrownError {
  try {
    return reduceError(thrown);
  } catch {
    return { code: 'CODE_ERROR', isOurs: true, message: 'The code threw a value that cannot be read' };
  }
}

function codeOf(message: unknown): string {
  return typeof message === 'string' && matches(OUT_OF_MEMORY, message) ? 'CODE_MEMORY' : 'CODE_ERROR';
}

function moduleAdvice(message: unknown): string {
  const isModule = message === 'module is not defined' || message === 'exports is not defined';
  return isModule ? '. There are no modules here; `return` the result of the code' : '';
}

function describeThrown(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : `The code threw ${toText(thrown)}`;
}

function withName(name: unknown, message: unknown): string {
  const sentence = typeof message === 'string' ? message : '';
  const isPlain = typeof name !== 'string' || name === 'Error' || name === '';
  if (isPlain) return sentence || 'The code threw an error without a message';
  return sentence ? `${name}: ${sentence}` : name;
}

function positionIn(stack: string): { line?: number; column?: number } {
  const found = matches(POSITION, stack);
  return found ? { line: toNumber(found[1]), column: toNumber(found[2]) } : {};
}

function cut(message: string): string {
  return message.length > MESSAGE_MAX_LENGTH ? `${slice(message, 0, MESSAGE_MAX_LENGTH)}…` : message;
}

function text(read: () => unknown): string {
  try {
    return toText(read());
  } catch {
    return '';
  }
}

function define(error: Error, key: string, value: string): void {
  defineProperty(error, key, { value, writable: true, configurable: true, enumerable: key === 'code' });
}
