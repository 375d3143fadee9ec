import type { z } from 'zod';
import type { DynamicProp, PropContext, PropOption } from './definition.ts';
import { type CallShape, callUpstream, readAs, type Upstream } from './provider-call.ts';
import { fillFromAccount } from './provider-defaults.ts';
import { nextCursor, type Paging, pageQuery } from './provider-paging.ts';
import type { RequestShape } from './provider-request.ts';

/** The choices of an input, which the third party lists. */
export interface Choices<Body extends z.ZodType = z.ZodType> {
  /** Inputs that the list depends on; there are no choices before all of them are filled in. */
  refreshers?: readonly string[];
  request: RequestShape;
  format?: CallShape['format'];
  paging?: Paging;
  /** The parameter by which the API itself searches; without it, labels are searched here. */
  search?: string;
  /** What is needed of the answer. */
  reads: Body;
  options(body: z.output<Body>, input: Readonly<Record<string, unknown>>): PropOption[];
}

/** Describes the choices of an input. */
export function choices<Body extends z.ZodType>(description: Choices<Body>): Choices {
  return description as unknown as Choices;
}

const MAX_PAGES = 5;

/** The dynamic input that these choices are. Reads a few pages, and offers each value once. */
export function toDynamicProp(upstream: Upstream, choices: Choices): DynamicProp {
  const { refreshers = [] } = choices;
  return {
    refreshers,
    async options(asked) {
      const context = { ...asked, input: fillFromAccount(upstream, asked.input, asked.auth) };
      if (refreshers.some((name) => isBlank(context.input[name]))) return [];
      const found = await collect(upstream, choices, context);
      const options = [...new Map(found.map((option) => [option.value, option])).values()];
      const wanted = choices.search ? '' : (context.search ?? '').toLowerCase();
      return options.filter(({ label }) => label.toLowerCase().includes(wanted));
    },
  };
}

async function collect(upstream: Upstream, choices: Choices, context: PropContext): Promise<PropOption[]> {
  const reach = { ...context, now: () => new Date() };
  const found: PropOption[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES && (page === 0 || cursor !== null); page += 1) {
    const request = askFor(choices, context.search, cursor);
    const answer = await callUpstream(upstream, { request, format: choices.format }, context.input, reach);
    const body = readAs(choices.reads, answer.body, { ...upstream, status: answer.status, mayHaveActed: false });
    found.push(...choices.options(body, answer.input));
    cursor = choices.paging ? nextCursor(choices.paging, answer) : null;
  }
  return found;
}

function askFor({ request, paging, search }: Choices, wanted: string | undefined, cursor: string | null): RequestShape {
  return {
    ...request,
    query: (input) => ({
      ...request.query?.(input),
      ...(paging && pageQuery(paging, { cursor })),
      ...(search !== undefined && { [search]: wanted }),
    }),
  };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
