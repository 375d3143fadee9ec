import type { GatewayError } from '../../domain/errors.ts';
import { documentProblems } from './check-document.ts';
import type { ProviderDocument } from './document.ts';
import type { DocumentProblem } from './document-problem.ts';
import { assertBounded, invalidDocument, parseDocumentText } from './document-text.ts';
import { locate } from './locate.ts';

const MAX_ISSUES = 100;
/** Locating takes about a second per megabyte. */
const LOCATED_MAX_LENGTH = 1_000_000;

/**
 * Reads an integration document from text or an object. Throws DOCUMENT_INVALID with
 * `details.issues`, or DOCUMENT_TOO_COMPLEX.
 */
export function readDocument(given: unknown, { codeActions = [] }: { codeActions?: readonly string[] } = {}): ProviderDocument {
  const document = typeof given === 'string' ? parseDocumentText(given) : given;
  assertBounded(document);
  const problems = documentProblems(document, codeActions);
  if (problems.length > 0) throw invalidAt(problems, typeof given === 'string' ? given : undefined);
  return document as ProviderDocument;
}

/** Makes the error DOCUMENT_INVALID. `text`: the document, for line numbers. */
export function invalidAt(problems: readonly DocumentProblem[], text?: string): GatewayError {
  const shown = problems.slice(0, MAX_ISSUES);
  const places = text === undefined || text.length > LOCATED_MAX_LENGTH ? [] : locate(text, shown);
  const issues = shown.map(({ path, message }, index) => ({
    path: path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    ...places[index],
    message,
  }));
  return invalidDocument(issues, problems.length);
}
