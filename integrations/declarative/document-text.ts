import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml';
import { GatewayError } from '../../domain/errors.ts';
import { isObject } from '../schema/evaluation.ts';
import { tooComplex } from './check-document.ts';

const MAX_DEPTH = 200;
const MAX_NODES = 3_000_000;
const MAX_ALIASES = 1000;
const SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/** A problem of a document, for callers. */
export interface DocumentIssue {
  /** JSON pointer. */
  path: string;
  line?: number;
  column?: number;
  message: string;
}

/**
 * Parses a document in JSON, or in YAML 1.2 with merge keys. Throws DOCUMENT_INVALID or
 * DOCUMENT_TOO_COMPLEX.
 */
export function parseDocumentText(text: string): unknown {
  const plain = text.startsWith('\ufeff') ? text.slice(1) : text;
  const json = /^\s*[{[]/.test(plain) ? parseJson(plain) : undefined;
  return json === undefined ? parseYaml(plain) : json;
}

/** Undefined for invalid JSON: the YAML parser then finds the line of the mistake. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): unknown {
  try {
    return load(text, { schema: SCHEMA, maxDepth: MAX_DEPTH, maxAliases: MAX_ALIASES });
  } catch (error) {
    if (error instanceof RangeError) throw tooComplex();
    if (!(error instanceof YAMLException)) throw error;
    if (/max[A-Z]/.test(error.reason)) throw tooComplex();
    const at = error.mark ? { line: error.mark.line + 1, column: error.mark.column + 1 } : {};
    throw invalidDocument([{ path: '', message: error.reason, ...at }], 1);
  }
}

/**
 * Throws DOCUMENT_TOO_COMPLEX for a document that is nested too deeply or has too many nodes. A
 * node counts each time an alias uses it.
 */
export function assertBounded(document: unknown): void {
  let nodes = 0;
  const visit = (value: unknown, depth: number): void => {
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH) throw tooComplex();
    if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    else if (isObject(value)) for (const key of Object.keys(value)) visit(value[key], depth + 1);
  };
  visit(document, 0);
}

/** Returns the error for an invalid document. `count`: the number of all issues, listed or not. */
export function invalidDocument(issues: readonly DocumentIssue[], count: number): GatewayError {
  const [first] = issues;
  const where = [first?.line !== undefined && `line ${first.line}`, first?.path].filter(Boolean).join(', ');
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return new GatewayError('DOCUMENT_INVALID', `The document is not valid: ${where ? `${where}: ` : ''}${first?.message}${more}`, {
    issues,
  });
}
