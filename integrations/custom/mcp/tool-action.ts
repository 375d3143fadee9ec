import { isDeeperThan } from '../../../domain/is-deeper-than.ts';
import { ANSWER_MAX_BYTES, OUTPUT_MAX_DEPTH } from '../../../domain/limits.ts';
import { type Action, type ActionContext, ActionError, type AuthValue } from '../../definition.ts';
import { accountOf } from '../../provider-auth.ts';
import type { Upstream } from '../../provider-call.ts';
import { type Scrub, scrubberOf } from '../../provider-secrets.ts';
import { isObject } from '../../schema/evaluation.ts';
import { outputSchema, verbatimInputSchema } from '../../schema/json-schema.ts';
import type { JsonSchema } from '../../schema/value-schema.ts';
import type { ImportedAction } from '../imported-integration.ts';
import { type FetchRequest, guardedFetch } from './guarded-fetch.ts';
import { type Called, refusalOf } from './tool-error.ts';

const DEADLINE_SECONDS = 60;
/** Bytes for other messages of the stream and for the frame of the answer. */
const FRAME_BYTES = 1024 * 1024;

/** The MCP server of an integration. */
export type ToolUpstream = Pick<Upstream, 'displayName' | 'auth' | 'authOptional' | 'authenticate' | 'baseUrl'>;

/** Returns the action that calls a tool of an MCP server (import contract 4). */
export function toToolAction(upstream: ToolUpstream, imported: ImportedAction): Action {
  const { displayName, description, category, idempotent = category === 'read', input = {}, output, tool } = imported;
  return {
    ...{ displayName, description, category, idempotent },
    categoryOf: () => category,
    ...(category === 'read' && { recipients: () => [] }),
    input: verbatimInputSchema(input),
    output: outputSchema(output),
    deadlineSeconds: () => DEADLINE_SECONDS,
    run: (context) => callTool(upstream, { name: tool!.name, inputSchema: input }, context),
  };
}

async function callTool(
  upstream: ToolUpstream,
  { name, inputSchema }: { name: string; inputSchema: JsonSchema },
  context: ActionContext,
): Promise<unknown> {
  const { displayName, auth: methods, authenticate, authOptional = false, baseUrl } = upstream;
  const isAnonymous = methods.length === 0 || (authOptional && context.auth === null);
  const account: AuthValue = isAnonymous ? { type: 'CUSTOM_AUTH', props: {} } : accountOf(upstream, context.auth);
  const scrub = scrubberOf(account, methods);
  const called: Called = { displayName, scrub, now: context.now() };
  const fetch = guardedFetch(context.outbound, {
    ...{ timeoutMs: DEADLINE_SECONDS * 1000, maxBytes: ANSWER_MAX_BYTES + FRAME_BYTES },
    authenticate: async (request: FetchRequest) => (isAnonymous ? request : authenticate(request, account, context.now(), context)),
    refusal: (answer) => refusalOf(answer, called),
  });
  const url = typeof baseUrl === 'string' ? baseUrl : baseUrl(account);
  const { input, signal } = context;
  const call = { url, fetch, tool: name, input, inputSchema, signal, timeoutMs: DEADLINE_SECONDS * 1000 };
  const result = await context
    .remoteTools()
    .call(call)
    .catch(async (error) => {
      const { toolFailure } = await import('./tool-failure.ts'); // loaded late, because it loads the MCP client
      throw toolFailure(error, called);
    });
  return outputOf(result, called);
}

/** Throws ActionError if the tool failed or the result is too deep or too large. */
function outputOf(result: Readonly<Record<string, unknown>>, { displayName, scrub }: Called): unknown {
  const { structuredContent, content = [], isError } = result;
  const said = structuredContent ?? { content };
  if (isDeeperThan(OUTPUT_MAX_DEPTH, said))
    throw new ActionError(`${displayName} answered with JSON that is nested too deeply to be read. The action may have taken effect.`, {
      reason: 'too_deep',
    });
  if (isError === true) throw new ActionError(scrub(textIn(content)) || `The tool of ${displayName} failed.`, { reason: 'tool_error' });
  if (Buffer.byteLength(JSON.stringify(said)) > ANSWER_MAX_BYTES)
    throw new ActionError(`The answer of ${displayName} is larger than ${ANSWER_MAX_BYTES} bytes. The action may have taken effect.`, {
      reason: 'too_large',
    });
  return scrubbed(said, scrub);
}

function textIn(content: unknown): string {
  const parts = Array.isArray(content) ? content : [];
  return parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n');
}

/**
 * Removes credentials, because servers may echo the request. The caller must have checked the depth
 * of the value.
 */
function scrubbed(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, scrub));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, scrubbed(inner, scrub)]));
}
