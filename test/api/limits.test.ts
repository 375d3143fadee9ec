import type { ApiAnswer } from '../support/caller.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';
import type { Bound, Limits } from './limits-bounds.ts';
import { LIMITS } from './limits-table.ts';
import { aWorld, type World } from './tenants/a-world.ts';

let bed: ApiBed;
let world: World;
let unique = 0;
beforeAll(async () => {
  bed = await openApiBed();
  world = await aWorld(bed);
});
afterAll(() => bed?.close());

const table = LIMITS.flatMap((limits) =>
  Object.entries(limits.bounds).map(([name, bound]) => [name, limits.request, limits, bound] as const),
);

test.each(table)('the bounds of %s in %s hold: one below, both edges, one above', async (name, _, limits, bound) => {
  const { min, max, within = limits.within, beyond = limits.beyond ?? '400 VALIDATION_ERROR' } = bound;
  const sizes = [...(min === undefined ? [] : [min - 1, min]), max - 1, max, max + 1];
  const answers: [number, string][] = [];
  for (const size of sizes.filter((size) => size >= 0 || typeof bound.make(size) === 'number'))
    answers.push([size, await ask(limits, name, bound, size)]);
  const isWithin = (size: number) => size >= (min ?? 0) && size <= max;
  expect(answers).toEqual(answers.map(([size]) => [size, isWithin(size) ? within : beyond]));
});

async function ask(limits: Limits, name: string, { make }: Bound, size: number): Promise<string> {
  unique += 1;
  const { status, body } = await send(limits, name, make(size));
  return body?.code ? `${status} ${body.code}` : String(status);
}

function send({ request, path, body }: Limits, name: string, value: unknown): Promise<ApiAnswer> {
  const verb = request.split(' ')[0] as 'get' | 'post' | 'patch';
  if (verb === 'get') return bed.api.get(`${path(world)}&${new URLSearchParams({ [name]: String(value) })}`);
  return bed.api[verb](path(world), put(body?.(world, unique) ?? {}, name.split('.'), value));
}

function put(into: object, [key, ...rest]: string[], value: unknown): object {
  const at = key!;
  const inner = (into as Record<string, object>)[at] ?? {};
  const next = rest.length === 0 ? value : put(inner, rest, value);
  return rest[0] === '0' ? { ...into, [at]: [value] } : { ...into, [at]: next };
}
