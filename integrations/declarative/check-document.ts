import { GatewayError } from '../../domain/errors.ts';
import { TooComplexError } from '../schema/evaluate.ts';
import { isObject } from '../schema/evaluation.ts';
import { problemsOf } from '../schema/json-schema.ts';
import { checkActions } from './check-actions.ts';
import { checkSchemas } from './check-schemas.ts';
import type { ProviderDocument } from './document.ts';
import type { DocumentProblem } from './document-problem.ts';
import { FORMAT } from './format.ts';

/** Finds the problems of a document. Throws DOCUMENT_TOO_COMPLEX. */
export function documentProblems(document: unknown, codeActions: readonly string[] = []): DocumentProblem[] {
  try {
    const form = problemsOf(FORMAT, document).map(({ path, message, keyword }) => ({ path, message, ofKey: keyword === 'unknown' }));
    const schemas = isObject(document) ? checkSchemas(document) : [];
    if (form.length > 0 || schemas.length > 0) return [...form, ...schemas];
    return checkActions(document as unknown as ProviderDocument, codeActions);
  } catch (error) {
    if (error instanceof TooComplexError || error instanceof RangeError) throw tooComplex();
    throw error;
  }
}

/** Finds the problems in the form of auth methods. */
export function authProblems(auth: unknown): DocumentProblem[] {
  const schema = { ...(FORMAT.properties as Record<string, object>).auth, $defs: FORMAT.$defs };
  return problemsOf(schema, auth).map(({ path, message }) => ({ path, message }));
}

/** Returns the error for a document that takes too much work to read. */
export function tooComplex(): GatewayError {
  return new GatewayError('DOCUMENT_TOO_COMPLEX', 'The document is too large or nested too deeply to be read.');
}
