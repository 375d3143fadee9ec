import { existsSync, readFileSync } from 'node:fs';
import { parseDocumentText } from '../integrations/declarative/document-text.ts';
import type { AuthValue } from '../integrations/definition.ts';

/** One request of the provider, and the answer of the third party. */
export interface Exchange {
  /** Method and complete URL: `POST https://api.example.com/v1/tasks?a=b`. */
  request: string;
  /** Headers that are not listed here are not checked. List the account's credentials too. */
  headers?: Readonly<Record<string, string>>;
  /** The complete body. JSON and form fields are an object, any other body a text. */
  body?: unknown;
  bodyHas?: readonly string[];
  answer?: { status?: number; headers?: Readonly<Record<string, string>>; body?: unknown; base64?: string };
}

/** One call of an action, or one request for choices. */
export interface Example {
  input?: Readonly<Record<string, unknown>>;
  account?: AuthValue | null;
  /** All requests in order. A single request may be in the example itself. */
  exchanges?: readonly Exchange[];
  output?: unknown;
  /** A part of the message, and some keys of the details. */
  error?: { message?: string; details?: Readonly<Record<string, unknown>> };
  options?: readonly { label: string; value: unknown }[];
  search?: string;
}

/** The examples of a provider. */
export interface Examples {
  /** Used for examples without an account. */
  account?: AuthValue;
  actions: Readonly<Record<string, readonly (Example & Partial<Exchange>)[]>>;
  /** Requests for choices, by action and input: `create_issue.owner`. */
  choices?: Readonly<Record<string, readonly (Example & Partial<Exchange>)[]>>;
}

/** Returns the examples in a file, if it exists. */
export function readExamples(file: string): Examples | undefined {
  return existsSync(file) ? (parseDocumentText(readFileSync(file, 'utf8')) as Examples) : undefined;
}

/** The requests of an example. */
export function exchangesOf({ exchanges, request, headers, body, bodyHas, answer }: Example & Partial<Exchange>): readonly Exchange[] {
  if (exchanges) return exchanges;
  if (request === undefined) return [];
  const one = {
    request,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(bodyHas && { bodyHas }),
    ...(answer && { answer }),
  };
  return [one];
}
