/**
 * The spellings that code can use for each name: first with underscores, then unchanged. An
 * ambiguous underscore spelling is left out.
 */
export function spellingsOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const exact = new Set(names);
  const uses = new Map<string, number>();
  for (const name of names) uses.set(underscored(name), (uses.get(underscored(name)) ?? 0) + 1);
  const isFree = (name: string) => uses.get(underscored(name)) === 1 && !exact.has(underscored(name));
  return new Map(names.map((name) => [name, isFree(name) ? [underscored(name), name] : [name]]));
}

/** Finds a name by one of its spellings. */
export function findSpelled(names: readonly string[], written: string): string | undefined {
  return names.find((name) => name === written) ?? names.find((name) => underscored(name) === underscored(written));
}

/** The expression that reads a member: `svc.slack`, `svc["2fa"]`. */
export function memberPath(of: string, name: string): string {
  return isIdentifier(name) ? `${of}.${name}` : `${of}[${JSON.stringify(name)}]`;
}

/** True for names that can follow a dot. Names outside ASCII are always quoted. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

function underscored(name: string): string {
  return name.replaceAll('-', '_');
}
