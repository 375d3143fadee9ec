import { z } from 'zod';
import { type Action, action, type Integration } from './definition.ts';
import { type Answer, type CallShape, callUpstream, readAs, type Upstream } from './provider-call.ts';
import { type Choices, toDynamicProp } from './provider-choices.ts';
import { completedByAccount } from './provider-defaults.ts';
import { nextCursor, type Paging, pageInput, pageOutput, pageQuery } from './provider-paging.ts';
import type { RequestShape } from './provider-request.ts';

export { basic, bearer, inHeader, inQuery } from './provider-auth.ts';
export { choices } from './provider-choices.ts';
export { nextInLink } from './provider-paging.ts';

/** A third party as data (docs/integrations.md). An action that is no HTTP call may stand among the endpoints as it is. */
export interface Provider extends Omit<Integration, 'auth' | 'actions'>, Upstream {
  displayName: string;
  auth: NonNullable<Integration['auth']>;
  actions: Readonly<Record<string, Endpoint | Action>>;
}

type Described = 'displayName' | 'description' | 'category' | 'recipients' | 'paths';

/** One action as the HTTP call that it makes. */
export interface Endpoint<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> extends Pick<Action<Input, Output>, Described>,
    Partial<Pick<Action<Input, Output>, 'categoryOf' | 'idempotent'>>,
    Omit<CallShape, 'request'> {
  input: Input;
  /** What an action answers; what the third party says beyond it is left out. */
  output: Output;
  request: RequestShape<z.output<Input>>;
  /** What is needed of the answer's body. */
  reads?: Body;
  /** How the answer becomes the output; without it, the body is the output. */
  answer?(answer: Answer<z.output<Body>, z.output<Input>>): z.input<Output>;
  /** Adds the inputs `limit` and `cursor` and the output `nextCursor`. */
  paging?: Paging;
  /** Choices of inputs, by name. */
  dynamic?: Readonly<Record<string, Choices>>;
}

/** Describes an action of a provider. */
export function endpoint<Input extends z.ZodObject, Output extends z.ZodObject, Body extends z.ZodType>(
  description: Endpoint<Input, Output, Body>,
): Endpoint {
  return description as unknown as Endpoint;
}

/** The integration that a described third party is. */
export function provider({ name, displayName, description, logoUrl, categories, auth, actions, ...how }: Provider): Integration {
  const upstream: Upstream = { ...how, displayName, auth };
  const made = Object.entries(actions).map(([key, item]) => [
    key,
    completedByAccount(upstream, 'run' in item ? item : toAction(upstream, item)),
  ]);
  return { name, displayName, description, logoUrl, categories, auth, actions: Object.fromEntries(made) };
}

/** Reads reach nobody unless they say so: an address that is looked up is no recipient. */
function toAction(upstream: Upstream, { request, reads, answer, paging, dynamic = {}, ...endpoint }: Endpoint): Action {
  const output = paging ? endpoint.output.extend(pageOutput) : endpoint.output;
  const nobody = endpoint.category === 'read' ? { recipients: () => [] } : {};
  const { format, timeoutSeconds, maxBytes, ...described } = endpoint;
  const shape = { request: paging ? asPage(request, paging) : request, format, timeoutSeconds, maxBytes };
  return action({
    ...nobody,
    ...described,
    input: paging ? endpoint.input.extend(pageInput(paging)) : endpoint.input,
    output,
    dynamic: Object.fromEntries(Object.entries(dynamic).map(([name, choices]) => [name, toDynamicProp(upstream, choices)])),
    async run({ input, ...reach }) {
      const got = await callUpstream(upstream, shape, input, reach);
      const about = { ...upstream, status: got.status, mayHaveActed: (request.method ?? 'GET') !== 'GET' };
      const body = readAs(reads ?? z.unknown(), got.body, about);
      const shaped = answer ? answer({ ...got, body }) : body;
      return readAs(output, paging ? { ...(shaped as object), nextCursor: nextCursor(paging, got) } : shaped, about);
    },
  });
}

function asPage(request: RequestShape, paging: Paging): RequestShape {
  return { ...request, query: (input) => ({ ...request.query?.(input), ...pageQuery(paging, input) }) };
}
