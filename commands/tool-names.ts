import { hashJson } from './hash-call.ts';

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** Names of a server's tools, in their order: `{alias}__{action}`, at most 64 of A-Z a-z 0-9 _ -; what is too long, or not the only one, ends in a hash (decisions section 4). */
export function toolNames(tools: readonly { alias: string; actionName: string }[]): string[] {
  const plain = tools.map(({ alias, actionName }) => `${alias}__${actionName}`.replace(/[^A-Za-z0-9_-]/g, '_'));
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  return plain.map((name, index) => (name.length > MAX_LENGTH || uses.get(name)! > 1 ? withHash(name, tools[index]!) : name));
}

/** The hash is of the true names, so a tool keeps its name whatever else the server offers beside it. */
function withHash(name: string, { alias, actionName }: { alias: string; actionName: string }): string {
  const hash = hashJson([alias, actionName]).slice(0, HASH_LENGTH);
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
