import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorCode, STATUS } from '../../domain/errors.ts';
import type { Route } from '../route.ts';
import { ERROR_WORDS } from './error-words.ts';
import { errorHeaders } from './headers.ts';
import { capitalized } from './operation-id.ts';

const issue = z.object({ path: z.string().describe('dotted path to the value'), message: z.string() });

/** The body of every error (contract decisions 1). */
const errorBody = z
  .object({
    error: z.string().describe('a sentence for the caller, of at most 500 characters'),
    code: z.string(),
    details: z
      .looseObject({
        issues: z.array(issue).optional().describe('the first problems, at most 100'),
        issuesOmitted: z.int().optional().describe('number of further problems'),
      })
      .optional(),
  })
  .meta({ id: 'Error' });

/** The error responses of a route by status. */
export function describeErrors(definition: Route): ZodOpenApiResponsesObject {
  const answers = codesByStatus(definition).map(([status, codes]) => [
    status,
    isComponent(codes) ? { $ref: `#/components/responses/${nameOf(codes)}` } : describe(codes),
  ]);
  return Object.fromEntries(answers);
}

/** Returns the error responses that are components, by component name. */
export function sharedErrors(routes: readonly Route[]): Record<string, ZodOpenApiResponseObject> {
  const sets = [...routes.flatMap((route) => codesByStatus(route).map(([, codes]) => codes)), ['METHOD_NOT_ALLOWED'] as ErrorCode[]];
  return Object.fromEntries(sets.filter(isComponent).map((codes) => [nameOf(codes), describe(codes)]));
}

/**
 * The codes of every route. VALIDATION_ERROR is among them, because any route can get an unknown
 * query key.
 */
const COMMON_CODES: readonly ErrorCode[] = ['VALIDATION_ERROR', 'UNAUTHORIZED', 'RATE_LIMITED', 'INTERNAL_ERROR', 'UNAVAILABLE'];
const BODY_CODES: readonly ErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

function codesByStatus({ method, errors, body, invalid = 'VALIDATION_ERROR' }: Route): [number, ErrorCode[]][] {
  const codes = new Set<ErrorCode>([...(body ? [invalid] : []), ...(method === 'get' ? [] : BODY_CODES), ...errors, ...COMMON_CODES]);
  const statuses = [...new Set([...codes].map((code) => STATUS[code]))].sort((a, b) => a - b);
  return statuses.map((status) => [status, [...codes].filter((code) => STATUS[code] === status)]);
}

/** A response with more codes than this is described at its route instead of in a component. */
const COMPONENT_MAX_CODES = 2;

function isComponent(codes: readonly ErrorCode[]): boolean {
  return codes.length <= COMPONENT_MAX_CODES;
}

/** Name of a component, such as `InvalidJsonOrNotFound`. */
function nameOf(codes: readonly ErrorCode[]): string {
  return codes.map((code) => code.toLowerCase().split('_').map(capitalized).join('')).join('Or');
}

function describe(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_WORDS[code]}`).join('\n\n'),
    headers: errorHeaders(codes),
    content: {
      'application/json': {
        schema: errorBody.and(z.object({ code: z.enum(codes as [ErrorCode, ...ErrorCode[]]) })),
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
  };
}

function errorExample(code: ErrorCode): z.infer<typeof errorBody> {
  const details = code === 'VALIDATION_ERROR' ? { issues: [{ path: 'name', message: 'is too short: at least 1 character' }] } : undefined;
  return { error: ERROR_WORDS[code], code, ...(details && { details }) };
}
