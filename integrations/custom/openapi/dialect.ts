import { GatewayError } from '../../../domain/errors.ts';
import { invalidDocument } from '../../declarative/document-text.ts';
import { isObject } from '../../schema/evaluation.ts';

/** The format and version of a document. */
export interface Dialect {
  format: 'openapi-3.0' | 'openapi-3.1' | 'swagger-2.0';
  isSwagger: boolean;
  /** Whether the document is older than OpenAPI 3.1: its schemas are not JSON Schema 2020-12. */
  isOld: boolean;
}

/** A document whose dialect is known. */
export type OpenapiDocument = Record<string, unknown> & { paths: Record<string, unknown> };

/** Keys by which documents of other formats are recognized. */
const OTHERS: Record<string, string> = {
  asyncapi: 'AsyncAPI',
  swaggerVersion: 'Swagger 1',
  arazzo: 'Arazzo',
  overlay: 'OpenAPI Overlay',
  raml: 'RAML',
  discoveryVersion: 'Google discovery',
  openrpc: 'OpenRPC',
  wsdl: 'WSDL',
};

/**
 * Returns the dialect of a document. Throws DOCUMENT_UNSUPPORTED for another known format or
 * version, and DOCUMENT_INVALID for anything else.
 */
export function dialectOf(document: unknown): Dialect {
  if (!isObject(document)) throw invalid('', 'expects an object with the key "openapi" or "swagger"');
  const version = document.openapi ?? document.swagger;
  if (version === undefined) {
    const other = Object.keys(OTHERS).find((key) => document[key] !== undefined);
    if (other !== undefined) throw unsupported(OTHERS[other]!);
    throw invalid('', 'missing key "openapi" or "swagger": expects the version, such as "3.1.0"');
  }
  const key = document.openapi === undefined ? 'swagger' : 'openapi';
  const text = typeof version === 'number' ? version.toFixed(1) : version;
  if (typeof text !== 'string' || !/^\d+(\.\d+)*/.test(text)) throw invalid(`/${key}`, 'expects a version such as "3.1.0"');
  if (key === 'openapi' && /^3\.1(\.|$|-)/.test(text)) return { format: 'openapi-3.1', isSwagger: false, isOld: false };
  if (key === 'openapi' && /^3\.0(\.|$|-)/.test(text)) return { format: 'openapi-3.0', isSwagger: false, isOld: true };
  if (key === 'swagger' && /^2(\.0|$)/.test(text)) return { format: 'swagger-2.0', isSwagger: true, isOld: true };
  throw unsupported(`${key === 'openapi' ? 'OpenAPI' : 'Swagger'} ${text.slice(0, 20)}`);
}

/**
 * Adds `paths` if it is missing. Throws DOCUMENT_INVALID if `paths`, `info` or `components` is no
 * object.
 */
export function assertOpenapi(document: unknown): asserts document is OpenapiDocument {
  const whole = document as Record<string, unknown>;
  whole.paths ??= {};
  if (!isObject(whole.paths)) throw invalid('/paths', 'expects an object');
  if (whole.info !== undefined && !isObject(whole.info)) throw invalid('/info', 'expects an object');
  if (whole.components !== undefined && !isObject(whole.components)) throw invalid('/components', 'expects an object');
}

function unsupported(format: string): GatewayError {
  return new GatewayError('DOCUMENT_UNSUPPORTED', `${format} is not supported. Send OpenAPI 3.0 or 3.1, or Swagger 2.`);
}

function invalid(path: string, message: string): GatewayError {
  return invalidDocument([{ path, message }], 1);
}
