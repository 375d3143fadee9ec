import { z } from 'zod';
import { headerProblem } from '../../../domain/header-problem.ts';
import { checkTogether, type Problem } from '../check-together.ts';
import { requestHeaders } from './request-headers.ts';
import { WEB_URL_MAX_LENGTH, webUrl } from './web-url.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
export const MAX_REDIRECTS = 5;

const text = z.string().max(8192);
const queryValue = z.union([text, z.number(), z.boolean()]);

const fields = z.object({
  method: z.enum(METHODS).describe('method of the request'),
  url: webUrl,
  headers: requestHeaders.optional().describe('headers of the request'),
  queryParams: z
    .record(z.string().max(1024), z.union([queryValue, z.array(queryValue).max(100)]))
    .refine((params) => Object.keys(params).length <= 200, 'holds too many parameters: at most 200')
    .optional()
    .describe('added to the query of the URL; a list repeats its name'),
  authType: z
    .enum(['NONE', 'BASIC', 'BEARER_TOKEN'])
    .default('NONE')
    .describe('BASIC needs authFields username and password, BEARER_TOKEN needs token'),
  authFields: z
    .strictObject({
      username: text.optional().describe('for basic authentication'),
      password: text.optional().describe('for basic authentication'),
      token: text.optional().describe('for a bearer token'),
    })
    .optional()
    .describe('credentials of the request'),
  body_type: z
    .enum(['none', 'form_data', 'json', 'raw'])
    .optional()
    .describe(
      'form_data: body is an object of fields; json: any JSON value; raw: a string sent as it is. Default: none without a body, raw for a string, else json',
    ),
  body: z.unknown().optional().describe('body of the request'),
  response_is_binary: z.boolean().default(false).describe('answer the body as base64'),
  timeout: z.number().min(1).max(100).default(30).describe('time limit of the whole request in seconds'),
  followRedirects: z
    .boolean()
    .default(false)
    .describe(
      `follow up to ${MAX_REDIRECTS} redirects. Another origin gets only headers such as Accept. A redirect that would send the body to another origin fails. Policies check every other host`,
    ),
  failureMode: z
    .enum(['all', '5xx', 'none'])
    .default('all')
    .describe('statuses that make the action fail. all: 4xx and 5xx; 5xx: only 5xx; none: no status'),
});
export type HttpInput = z.output<typeof fields>;

/** The input of send_request, checked as far as possible without sending the request. */
export const httpInput = checkTogether(fields, [
  { fields: ['authType', 'authFields'], problems: authProblems },
  { fields: ['body_type', 'body'], problems: bodyProblems },
  { fields: ['url', 'queryParams'], problems: lengthProblems },
]);

/** Returns the given type, or the default of the body. */
export function bodyTypeOf({ body, body_type }: Pick<HttpInput, 'body' | 'body_type'>): NonNullable<HttpInput['body_type']> {
  return body_type ?? (body === undefined ? 'none' : typeof body === 'string' ? 'raw' : 'json');
}

/** Returns the URL with `queryParams` added. */
export function addressOf({ url, queryParams = {} }: Pick<HttpInput, 'url' | 'queryParams'>): string {
  const whole = new URL(url);
  for (const [name, values] of Object.entries(queryParams)) {
    for (const value of [values].flat()) whole.searchParams.append(name, String(value));
  }
  return whole.href;
}

function authProblems({ authType, authFields = {} }: HttpInput): Problem[] {
  const problem = (name: string, message: string): Problem => ({ path: ['authFields', name], message });
  if (authType === 'BEARER_TOKEN') {
    if (!authFields.token) return [problem('token', 'authType BEARER_TOKEN needs authFields.token')];
    const isSendable = headerProblem('authorization', authFields.token) === undefined;
    return isSendable ? [] : [problem('token', 'contains characters that a header cannot have')];
  }
  const needed = authType === 'BASIC' ? (['username', 'password'] as const) : [];
  return needed.filter((name) => authFields[name] === undefined).map((name) => problem(name, `authType BASIC needs authFields.${name}`));
}

function bodyProblems(input: HttpInput): Problem[] {
  const { body } = input;
  const type = bodyTypeOf(input);
  if (type === 'none') return [];
  if (body === undefined) return [{ path: ['body'], message: `body_type ${type} needs a body` }];
  if (type === 'raw' && typeof body !== 'string') return [{ path: ['body'], message: 'body_type raw needs a body that is a string' }];
  return type === 'form_data' ? formProblems(body) : [];
}

function formProblems(body: unknown): Problem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return [{ path: ['body'], message: 'body_type form_data needs a body that is an object of fields' }];
  const wrong = Object.entries(body).filter(([, values]) => ![values].flat().every(isFormValue));
  return wrong.map(([name]) => ({ path: ['body', name], message: 'a form field is a string, a number, true or false, or a list of them' }));
}

function isFormValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function lengthProblems(input: HttpInput): Problem[] {
  if (addressOf(input).length <= WEB_URL_MAX_LENGTH) return [];
  return [{ path: ['queryParams'], message: `makes the URL longer than ${WEB_URL_MAX_LENGTH} characters` }];
}
