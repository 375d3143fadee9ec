import { existsSync, readFileSync } from 'node:fs';
import { parseDocumentText } from '../integrations/declarative/document-text.ts';
import type { AuthValue } from '../integrations/definition.ts';

/** One request of the provider and the answer of the third party. */
export interface Exchange {
  /** Method and complete URL: `POST https://api.example.com/v1/tasks?a=b`. */
  request: string;
  /**
   * Headers that the request must have. It may have others. List the account's credentials too,
   * because only listed headers are checked.
   */
  headers?: Readonly<Record<string, string>>;
  /** The complete body. JSON and form fields are written as an object, any other body as a text. */
  body?: unknown;
  /** Texts that the body must contain. For a body that is neither JSON nor a form. */
  bodyHas?: readonly string[];
  answer?: { status?: number; headers?: Readonly<Record<string, string>>; body?: unknown; base64?: string };
}

/** One call of an action, or one request for the choices of an input. */
export interface Example {
  input?: Readonly<Record<string, unknown>>;
  account?: AuthValue | null;
  /**
   * All requests in order, if there are several. For a single request, its keys are in the example
   * itself.
   */
  exchanges?: readonly Exchange[];
  /** The complete output. */
  output?: unknown;
  /** The expected failure. Its message may have further words, its details further keys. */
  error?: { message?: string; details?: Readonly<Record<string, unknown>> };
  /** The expected choices, if the example requests choices. */
  options?: readonly { label: string; value: unknown }[];
  search?: string;
}

/** The examples of a provider: at least one per action. */
export interface Examples {
  /** The account for examples that name none. */
  account?: AuthValue;
  actions: Readonly<Record<string, readonly (Example & Partial<Exchange>)[]>>;
  /** Examples of requests for choices, by action and input: `create_issue.owner`. */
  choices?: Readonly<Record<string, readonly (Example & Partial<Exchange>)[]>>;
}

/** Returns the examples in a file. Returns undefined if the file does not exist. */
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
