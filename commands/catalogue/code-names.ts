/**
 * Returns the spellings that code can use for each name: first the usual spelling with underscores,
 * then the unchanged name. A name whose underscore spelling is ambiguous has only the unchanged
 * spelling.
 */
export function spellingsOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const exact = new Set(names);
  const uses = new Map<string, number>();
  for (const name of names) uses.set(codeName(name), (uses.get(codeName(name)) ?? 0) + 1);
  const isFree = (name: string) => uses.get(codeName(name)) === 1 && !exact.has(codeName(name));
  return new Map(names.map((name) => [name, isFree(name) ? [codeName(name), name] : [name]]));
}

/** Finds a name by one of its spellings. */
export function findSpelled(names: readonly string[], written: string): string | undefined {
  return names.find((name) => name === written) ?? names.find((name) => codeName(name) === codeName(written));
}

/** Returns the expression that reads a member: `svc.slack`, `svc["2fa"]`. */
export function memberPath(of: string, name: string): string {
  return isIdentifier(name) ? `${of}.${name}` : `${of}[${JSON.stringify(name)}]`;
}

/** Returns true for names that can follow a dot. Names outside ASCII are always quoted. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/** Converts an alias or action name to its spelling with underscores. */
function codeName(name: string): string {
  return name.replaceAll('-', '_');
}
