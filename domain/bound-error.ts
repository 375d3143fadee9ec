import { CUT, cutText } from './cut-text.ts';
import { ERROR_LIMITS } from './limits.ts';

/** One problem in a request: a dotted path to the value and a sentence about it. */
export interface Issue {
  path: string;
  message: string;
}

/** The message and the details of an error that callers see. */
export interface ErrorText {
  message: string;
  details?: Record<string, unknown> | undefined;
}

const { sentenceMaxLength, pathMaxLength, maxIssues, detailsMaxBytes } = ERROR_LIMITS;

/**
 * Truncates an error to `ERROR_LIMITS`. `details.issuesOmitted` counts omitted issues;
 * `details.<name>Omitted` counts omitted entries of another list.
 */
export function boundError(error: ErrorText): ErrorText {
  const { message, details } = error;
  return { message: boundSentence(message), details: details && boundDetails(details) };
}

/**
 * Truncates a sentence to at most `maxLength` UTF-16 units, with an ellipsis. No character is
 * split.
 */
export function boundSentence(sentence: string, maxLength: number = sentenceMaxLength): string {
  return sentence.length <= maxLength ? sentence : cutText(sentence, maxLength - CUT.length) + CUT;
}

/**
 * Joins as many parts as fit, and ends with the number of missing parts. `omitted`: the number of
 * parts that are missing from `parts`.
 */
export function joinWithin(parts: readonly string[], omitted = 0, separator = '; ', maxLength: number = sentenceMaxLength): string {
  const whole = omitted === 0 ? parts.join(separator) : undefined;
  if (whole !== undefined && whole.length <= maxLength) return whole;
  const endOf = (shown: number) => `and ${parts.length + omitted - shown} more`;
  const room = maxLength - separator.length - endOf(0).length;
  let text = boundSentence(parts[0] ?? '', room);
  let shown = 1;
  while (shown < parts.length && text.length + separator.length + parts[shown]!.length <= room) text += separator + parts[shown++];
  return shown === parts.length + omitted ? text : text + separator + endOf(shown);
}

function boundDetails(details: Record<string, unknown>): Record<string, unknown> {
  const issues = Array.isArray(details.issues) ? boundIssues(details.issues, Number(details.issuesOmitted ?? 0)) : {};
  const bounded = 'issues' in issues ? { ...details, ...issues } : details;
  const isSmall = JSON.stringify(bounded).length * MAX_BYTES_OF_UNIT <= detailsMaxBytes;
  return isSmall || sizeOf(bounded) <= detailsMaxBytes ? bounded : shrink(bounded);
}

function boundIssues(issues: readonly Issue[], omittedBefore: number): { issues: Issue[]; issuesOmitted?: number } {
  const kept = issues.slice(0, maxIssues).map(boundIssue);
  const omitted = omittedBefore + issues.length - kept.length;
  return { issues: kept, ...(omitted > 0 && { issuesOmitted: omitted }) };
}

function boundIssue(issue: Issue): Issue {
  const { path, message } = issue;
  if (path.length <= pathMaxLength && message.length <= sentenceMaxLength) return issue;
  return { ...issue, path: boundSentence(path, pathMaxLength), message: boundSentence(message) };
}

function shrink(details: Record<string, unknown>): Record<string, unknown> {
  const shrunk: Record<string, unknown> = {};
  let room = detailsMaxBytes;
  for (const [name, value] of bySize(details)) {
    const size = sizeOf({ [name]: value }) + ROOM_FOR_A_COUNT;
    const fitting = size <= room ? value : fitInto(value, room - sizeOf(name) - ROOM_FOR_A_COUNT);
    if (fitting === undefined) continue;
    shrunk[name] = fitting;
    if (Array.isArray(value) && Array.isArray(fitting) && fitting.length < value.length) {
      const countName = `${name}Omitted`;
      shrunk[countName] = Number(details[countName] ?? 0) + value.length - fitting.length;
    }
    room -= sizeOf({ [name]: fitting }) + ROOM_FOR_A_COUNT;
  }
  return shrunk;
}

/** Bytes for `"nameOmitted":12345,` with the longest field name of the service. */
const ROOM_FOR_A_COUNT = 64;

/** Sorts by size, so that a large field does not displace smaller fields. */
function bySize(details: Record<string, unknown>): [string, unknown][] {
  return Object.entries(details).toSorted(([, a], [, b]) => sizeOf(a) - sizeOf(b));
}

function fitInto(value: unknown, room: number): unknown {
  if (typeof value === 'string') return boundText(value, room);
  if (!Array.isArray(value)) return undefined;
  let used = 2;
  const end = value.findIndex((item) => {
    used += sizeOf(item) + 1;
    return used > room;
  });
  return end === -1 ? value : value.slice(0, end);
}

/** Each UTF-16 unit of `text` becomes at most six bytes: an escape such as `\u0000`. */
function boundText(text: string, room: number): string | undefined {
  const length = Math.floor(room / 6);
  return length > 0 ? boundSentence(text, length) : undefined;
}

/** Maximum bytes of UTF-8 for one UTF-16 unit of serialized JSON. There an escape is six units. */
const MAX_BYTES_OF_UNIT = 3;

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value) ?? '').length;
}
