/** The plural of an English noun in the name of an input: `channel`, `branch`, `labels`. */
export function plural(noun: string): string {
  if (/(?:ss|us|is|x|z|ch|sh)$/i.test(noun)) return `${noun}es`;
  if (/s$/i.test(noun)) return noun;
  return /[^aeiou]y$/i.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
