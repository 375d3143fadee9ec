import { isSecretName } from './is-secret-name.ts';
import { REDACTED } from './redacted.ts';

/** Hides values in a tag or object that names a secret, such as `<add key="ApiKey" value="…"/>`. */
export function hideTagValues(text: string): string {
  return text.replace(TAG, (tag) => {
    if (![...tag.matchAll(NAMING)].some(({ groups }) => isSecretName(groups!.name!))) return tag;
    return tag.replace(VALUE, (whole: string, quoted: string) => {
      const quote = /^\\?["']/.exec(quoted)![0];
      return `${whole.slice(0, -quoted.length)}${quote}${REDACTED}${quote}`;
    });
  });
}

const TAG = /[<{(][^<>{}]{1,2000}/g;

const NAMING =
  /(?<![\w-])(?:name|key|k|header|id|type|property|field|param|label|path)\\?["']?\s{0,4}[:=]\s{0,4}\\?["'](?<name>[\p{L}\p{M}\w .:/-]{2,60})\\?["']/giu;
const VALUE =
  /(?<![\w-])(?:value|values|val|v|content|contents|data)\\?["']?\s{0,4}[:=]\s{0,4}(\\"(?:[^"\\]|\\[^"]){1,500}\\"|"(?:[^"\\]|\\.){1,500}"|'(?:[^'\\]|\\.){1,500}')/giu;
