/**
 * The spellings of each name in code, the usual one first: with underscores, then unchanged. A name
 * whose underscore form is ambiguous has only the unchanged spelling.
 */
export function spellingsOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const exact = new Set(names);
  const uses = new Map<string, number>();
  for (const name of names) uses.set(codeName(name), (uses.get(codeName(name)) ?? 0) + 1);
  const isFree = (name: string) => uses.get(codeName(name)) === 1 && !exact.has(codeName(name));
  return new Map(names.map((name) => [name, isFree(name) ? [codeName(name), name] : [name]]));
}

/** Finds the name that is written, in either spelling. */
export function findSpelled(names: readonly string[], written: string): string | undefined {
  return names.find((name) => name === written) ?? names.find((name) => codeName(name) === codeName(written));
}

/** The expression that reads a member: `svc.slack`, `svc["2fa"]`. */
export function memberPath(of: string, name: string): string {
  return isIdentifier(name) ? `${of}.${name}` : `${of}[${JSON.stringify(name)}]`;
}

/** True for names that may follow a dot. Names outside ASCII are quoted to be safe. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/** An alias or action name as an identifier. */
function codeName(name: string): string {
  return name.replaceAll('-', '_');
}
