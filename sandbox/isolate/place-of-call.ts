import { RealError, uncurry } from './primordials.ts';

/** The name under which the caller's code appears in stack traces. */
export const SOURCE_NAME = 'code.js';

/** `new AsyncFunction(body)` puts two lines of its own before the body. */
export const LINES_BEFORE_BODY = 2;

/** Where in the caller's code something stands, counted from 1. */
export interface Place {
  line: number;
  column: number;
}

interface Site {
  getScriptNameOrSourceURL(): unknown;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
}

type Ask = <Answer>(site: Site) => Answer;
let ask: { source: Ask; line: Ask; column: Ask };
let isAsked = false;
let found: Place | undefined;

/** Takes the questions that frames answer from one of them, before the caller's code runs. */
export function learnSites(site: object): void {
  const { getScriptNameOrSourceURL, getLineNumber, getColumnNumber } = site as Site;
  ask = { source: uncurry(getScriptNameOrSourceURL) as Ask, line: uncurry(getLineNumber) as Ask, column: uncurry(getColumnNumber) as Ask };
}

/** Where the caller's own code is that is running now; undefined where none is, as when a promise calls an action by itself. Writes no stack trace. */
export function placeOfCall(): Place | undefined {
  isAsked = true;
  found = undefined;
  try {
    void new RealError().stack;
  } finally {
    isAsked = false; // also where the stack is full
  }
  return found;
}

/** For the hook that writes stack traces: true when only the place was asked for, which is noted then. */
export function isPlaceAsked(sites: readonly unknown[]): boolean {
  if (!isAsked) return false;
  isAsked = false;
  for (let index = 0; index < sites.length; index++) {
    const site = sites[index] as Site;
    if (ask.source(site) !== SOURCE_NAME) continue;
    found = placeAt(ask.line(site), ask.column(site));
    break;
  }
  return true;
}

/** Code that gives itself the same name may be longer than what a caller can send. */
const MAX = 1_000_000;

function placeAt(line: unknown, column: unknown): Place | undefined {
  if (typeof line !== 'number' || typeof column !== 'number') return undefined;
  const isOwn = line > LINES_BEFORE_BODY && line <= MAX && column >= 1 && column <= MAX;
  return isOwn ? { line: line - LINES_BEFORE_BODY, column } : undefined;
}
