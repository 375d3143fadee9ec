import { RealError, uncurry } from './primordials.ts';

/** The file name of the caller's code in stack traces. */
export const SOURCE_NAME = 'code.js';

/** Lines that `new AsyncFunction(body)` puts before the body. */
export const LINES_BEFORE_BODY = 2;

/** A position in the caller's code, from 1. */
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

/** Saves the methods of a stack frame. Must run before the caller's code. */
export function learnSites(site: object): void {
  const { getScriptNameOrSourceURL, getLineNumber, getColumnNumber } = site as Site;
  ask = { source: uncurry(getScriptNameOrSourceURL) as Ask, line: uncurry(getLineNumber) as Ask, column: uncurry(getColumnNumber) as Ask };
}

/**
 * The current position in the caller's code, if the code is on the stack. The text of the stack
 * trace is not made.
 */
export function placeOfCall(): Place | undefined {
  isAsked = true;
  found = undefined;
  try {
    void new RealError().stack;
  } finally {
    isAsked = false; // needed if the stack overflowed before the hook ran
  }
  return found;
}

/** Called by the stack trace hook. Returns true if `placeOfCall` caused the stack trace. */
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

/** Larger positions are ignored. Other code may call itself `code.js` and report any position. */
const MAX = 1_000_000;

function placeAt(line: unknown, column: unknown): Place | undefined {
  if (typeof line !== 'number' || typeof column !== 'number') return undefined;
  const isOwn = line > LINES_BEFORE_BODY && line <= MAX && column >= 1 && column <= MAX;
  return isOwn ? { line: line - LINES_BEFORE_BODY, column } : undefined;
}
