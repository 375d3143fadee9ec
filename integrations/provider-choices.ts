import type { DynamicProp, PropContext, PropOption } from './definition.ts';
import { type CallShape, callUpstream, type Upstream } from './provider-call.ts';
import { fillFromAccount } from './provider-defaults.ts';
import { nextCursor, type Paging, pageQuery } from './provider-paging.ts';
import type { RequestShape } from './provider-request.ts';

/** How the third party lists the choices of an input. */
export interface Choices {
  /** There are no choices until all of these inputs are set. */
  refreshers?: readonly string[];
  request: RequestShape;
  format?: CallShape['format'];
  paging?: Paging;
  /** The search parameter of the API. If not set, labels are searched here. */
  search?: string;
  options(body: unknown, input: Readonly<Record<string, unknown>>): PropOption[];
}

const MAX_PAGES = 5;

/** Makes a dynamic input, from at most five pages of choices. */
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
    const input = { ...context.input, ...(choices.paging && { limit: choices.paging.size?.max, cursor: cursor ?? undefined }) };
    const answer = await callUpstream(upstream, { request, format: choices.format }, input, reach);
    found.push(...choices.options(answer.body, answer.input));
    cursor = choices.paging ? nextCursor(choices.paging, answer) : null;
  }
  return found;
}

function askFor({ request, paging, search }: Choices, wanted: string | undefined, cursor: string | null): RequestShape {
  return {
    ...request,
    query: (input, account) => ({
      ...request.query?.(input, account),
      ...(paging && pageQuery(paging, { cursor })),
      ...(search !== undefined && { [search]: wanted }),
    }),
  };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
