import { hashJson } from '../calls/hash-call.ts';

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * The names of an MCP server's tools, in their order: `{alias}__{action}`, at most 64 characters of
 * A-Z a-z 0-9 _ -. A name that is too long or not unique ends in a hash (contract decisions 4).
 * `taken`: names of other tools.
 */
export function toolNames(
  tools: readonly { alias: string; actionName: string }[],
  taken: { has(name: string): boolean } = new Set<string>(),
): string[] {
  const plain = tools.map(({ alias, actionName }) => `${alias}__${actionName}`.replace(/[^A-Za-z0-9_-]/g, '_'));
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  const isPlain = (name: string) => name.length <= MAX_LENGTH && uses.get(name) === 1 && !taken.has(name);
  return plain.map((name, index) => (isPlain(name) ? name : withHash(name, tools[index]!)));
}

/** The hash depends only on alias and action, not on the other tools of the MCP server. */
function withHash(name: string, { alias, actionName }: { alias: string; actionName: string }): string {
  const hash = hashJson([alias, actionName]).slice(0, HASH_LENGTH);
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
