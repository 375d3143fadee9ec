import { rankNames } from './nearest-name.ts';

const MAX_LISTED = 20;

/**
 * Returns a text that suggests the name that was probably meant, and lists existing names.
 * `asWritten` converts the suggested name to the caller's form.
 */
export function suggestName(written: string, names: readonly string[], asWritten: (name: string) => string = (name) => name): string {
  if (names.length === 0) return 'There are none.';
  const { meant, ranked } = rankNames(written, names);
  const question = meant === undefined ? '' : `Did you mean ${asWritten(meant)}? `;
  if (names.length === 1) return meant === undefined ? `There is only ${names[0]}.` : `${question}There is no other.`;
  const others = names.length - MAX_LISTED;
  const more = others > 0 ? ` and ${others.toLocaleString('en')} more: svc_search finds them` : '';
  return `${question}There are: ${ranked.slice(0, MAX_LISTED).join(', ')}${more}.`;
}
