import { stripTypeScriptTypes } from 'node:module';
import { nestedAssertion } from './nested-assertions.ts';
import { placeInStripper, wordsOfStripper } from './stripper-error.ts';

export type Stripped =
  /** Types become spaces, so that the rest keeps its position. */
  | { text: string }
  | {
      text: null;
      /** Null if the stripper gave no reason. */
      problem: StripProblem | null;
      /** Whether the stripper overflowed. Later results may be wrong, so the thread must end. */
      broken: boolean;
    };

export interface StripProblem {
  message: string;
  offset: number;
  /** Whether the problem is unsupported TypeScript, such as an enum. */
  isUnsupported: boolean;
}

/**
 * Strips the types of the body of an async function. Hostile code can take unbounded time, so call
 * this in a thread that can be ended.
 */
export function stripTypes(text: string): Stripped {
  const nested = nestedAssertion(text);
  if (nested !== undefined) return { text: null, problem: { message: NO_ASSERTIONS, offset: nested, isUnsupported: true }, broken: false };
  // Suppresses the experimental warning.
  process.emitWarning = () => {};
  try {
    return { text: stripTypeScriptTypes(HEAD + text + TAIL).slice(HEAD.length, -TAIL.length) };
  } catch (error) {
    if (!isRefusal(error)) return { text: null, problem: null, broken: true };
    return { text: null, problem: problemOf(text, error), broken: false };
  }
}

const [HEAD, TAIL] = ['async()=>{', '\n}'];
const NO_ASSERTIONS = 'Write `value as Type` instead of `<Type>value`';

type Refusal = SyntaxError & { code: string };

function isRefusal(error: unknown): error is Refusal {
  return /TYPESCRIPT_SYNTAX$/.test((error as Partial<Refusal>).code ?? '');
}

function problemOf(text: string, error: Refusal): StripProblem {
  const offset = placeInStripper(HEAD + text, error) - HEAD.length;
  const unsupported = unsupportedIn(error);
  return { message: unsupported ?? wordsOfStripper(error), offset: Math.max(0, offset), isUnsupported: unsupported !== null };
}

const ADVICE: [RegExp, string][] = [
  [/enum/, 'TypeScript types are stripped, but an enum is no type; use a constant object instead'],
  [/namespace|module/, 'TypeScript types are stripped, but a namespace is no type; use a constant object instead'],
  [
    /parameter property/,
    'TypeScript types are stripped, but a parameter property is no type; assign to the field in the constructor instead',
  ],
  [/angle-bracket/, NO_ASSERTIONS],
];

function unsupportedIn({ code, message }: Refusal): string | null {
  if (code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return null;
  const known = ADVICE.find(([said]) => said.test(message));
  return known?.[1] ?? 'TypeScript types are stripped, but this is no type; write it as JavaScript';
}
