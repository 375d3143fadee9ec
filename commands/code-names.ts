/**
 * How code may write each of these names, the usual way first: with underscores, and as it is. Where another name is written the same way
 * with underscores, only as it is.
 */
export function spellingsOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const exact = new Set(names);
  const uses = new Map<string, number>();
  for (const name of names) uses.set(codeName(name), (uses.get(codeName(name)) ?? 0) + 1);
  const isFree = (name: string) => uses.get(codeName(name)) === 1 && !exact.has(codeName(name));
  return new Map(names.map((name) => [name, isFree(name) ? [codeName(name), name] : [name]]));
}

/** The one of these names that is meant, in either spelling. */
export function findSpelled(names: readonly string[], written: string): string | undefined {
  return names.find((name) => name === written) ?? names.find((name) => codeName(name) === codeName(written));
}

/** A member as code reaches it: `svc.slack`, `svc["2fa"]`. */
export function memberPath(of: string, name: string): string {
  return isIdentifier(name) ? `${of}.${name}` : `${of}[${JSON.stringify(name)}]`;
}

/** True for what may stand after a dot; names of other scripts are quoted to be sure. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

/** An alias or action name as code writes it after a dot. */
function codeName(name: string): string {
  return name.replaceAll('-', '_');
}
