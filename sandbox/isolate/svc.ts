import { suggestName } from '../../domain/search/suggest-name.ts';
import type { Completion } from '../host/pass.ts';
import { codedError } from './errors.ts';
import { looksNative } from './native-look.ts';
import { placeOfCall } from './place-of-call.ts';
import {
  create,
  defineProperty,
  hasOwn,
  includes,
  inheritingNothing,
  isLongerThan,
  jsonParse,
  jsonStringify,
  matches,
  ownKeys,
  RealError,
  RealPromise,
  RealProxy,
  slice,
  uncurry,
} from './primordials.ts';
import { inputToJson } from './to-json.ts';
import { fail, issue } from './turns.ts';

interface CallLimits {
  maxCalls: number;
  inputMaxBytes: number;
}

const MB = 1024 * 1024;

type Members = Record<string, unknown>;

/** Builds `svc`. Code may write hyphens as underscores. */
export function buildSvc(surface: Record<string, readonly string[]>, limits: CallLimits): Members {
  let callsLeft = limits.maxCalls;
  const call = (alias: string, action: string, path: string, input: unknown, failure: Error) => {
    const place = placeOfCall();
    const where = place ? `,"line":${place.line},"column":${place.column}` : '';
    return new RealPromise((resolve, reject) => {
      const text = inputToJson(input, `The input of ${path}`, failure);
      if (holdsHalfCharacter(text))
        throw codedError('VALIDATION_ERROR', `The input of ${path} holds half of a character (a lone surrogate)`, failure);
      if (isLongerThan(text, limits.inputMaxBytes))
        throw codedError(
          'CODE_INPUT_TOO_LARGE',
          `The input of ${path} is larger than ${limits.inputMaxBytes / MB} MB, the most that a call may send`,
          failure,
        );
      if (callsLeft-- <= 0) return fail('CODE_CALL_LIMIT', `The code made more than ${limits.maxCalls} calls`);
      issue(
        (number) =>
          `{"kind":"call","number":${number},"alias":${jsonStringify(alias)},"action":${jsonStringify(action)},"input":${jsonStringify(text)}${where}}`,
        (completion) => (completion.ok ? resolve(jsonParse(completion.value)) : reject(failedCall(completion.error, failure))),
      );
    });
  };

  return lazily(
    ownKeys(surface),
    (alias, written) => {
      const of = member('svc.', written);
      return lazily(
        surface[alias]!,
        (action, name) =>
          looksNative((input: unknown, ...others: unknown[]) => {
            const path = member(`${of}.`, name);
            const failure = new RealError();
            if (others.length > 0)
              return rejected(
                codedError('VALIDATION_ERROR', `${path} takes one input object, not ${others.length + 1} arguments`, failure),
              );
            return call(alias, action, path, input, failure);
          }),
        (name, names) => codedError('ACTION_NOT_FOUND', unknown(`action "${name}" in ${of}`, name, names, `${of}.`)),
      );
    },
    (name, names) => {
      const advice = CALLERS[name] ? ` An action is called by its name: svc.<alias>.<action>(input).` : '';
      return codedError('INTEGRATION_NOT_FOUND', `${unknown(`integration "${name}" on this server`, name, names, 'svc.')}${advice}`);
    },
  );
}

function failedCall({ code, message, details }: Extract<Completion, { ok: false }>['error'], failure: Error): Error {
  const error = codedError(code, message, failure);
  if (details !== undefined) defineProperty(error, 'details', { value: details, writable: true, enumerable: true, configurable: true });
  return error;
}

// The language and its tools read these names, for example `await`, JSON and string conversion.
const PROTOCOL_NAMES = setOf(['then', 'toJSON', 'toString', 'valueOf', 'constructor']);

/** Names by which other libraries call a tool. */
const CALLERS = setOf(['call', 'callTool', 'execute', 'invoke', 'request', 'run']);

function lazily(
  names: readonly string[],
  make: (real: string, written: string) => unknown,
  missing: (name: string, names: string[]) => Error,
): Members {
  const realNames: Record<string, string> = create(null);
  // The caller's code may have replaced the iterator.
  for (let index = 0; index < names.length; index++) realNames[underscored(names[index]!)] = names[index]!;
  const writtenNames = ownKeys(realNames);
  const shown: Members = create(null);
  for (let index = 0; index < writtenNames.length; index++)
    defineProperty(shown, writtenNames[index]!, { value: undefined, writable: true, enumerable: true, configurable: true });
  // An exact name wins over the underscored form of another name.
  for (let index = 0; index < names.length; index++) realNames[names[index]!] = names[index]!;

  const made: Members = create(null);
  const traps = inheritingNothing<ProxyHandler<Members>>({
    get(_target, name) {
      if (typeof name === 'symbol') return undefined;
      if (hasOwn(realNames, name)) {
        made[name] ??= make(realNames[name]!, name);
        return made[name];
      }
      if (PROTOCOL_NAMES[name]) return undefined;
      throw missing(name, writtenNames);
    },
    has: (_target, name) => typeof name === 'string' && hasOwn(realNames, name),
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  });
  return new RealProxy(shown, traps);
}

function unknown(what: string, name: string, names: string[], prefix: string): string {
  try {
    return `There is no ${what}. ${suggestName(name, names, (meant) => member(prefix, meant))}`;
  } catch {
    // `suggestName` uses built-ins that the caller may have replaced.
    return `There is no ${what}.`;
  }
}

function member(prefix: string, name: string): string {
  return matches(/^[A-Za-z_$][\w$]*$/, name) ? `${prefix}${name}` : `${slice(prefix, 0, -1)}[${jsonStringify(name)}]`;
}

// `JSON.stringify` writes an escape from `\ud800` to `\udfff` only for a lone surrogate.
const HALF_CHARACTER = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;

function holdsHalfCharacter(json: string): boolean {
  return includes(json, '\\ud') && matches(HALF_CHARACTER, json) !== null;
}

const replace = uncurry(String.prototype.replaceAll as (this: string, from: string, to: string) => string);

function underscored(name: string): string {
  return replace(name, '-', '_');
}

function rejected(error: Error): Promise<never> {
  return new RealPromise((_resolve, reject) => reject(error));
}

function setOf(names: string[]): Record<string, true> {
  const set: Record<string, true> = create(null);
  for (const name of names) set[name] = true;
  return set;
}
