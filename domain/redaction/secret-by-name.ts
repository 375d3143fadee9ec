import { isSecretName } from './is-secret-name.ts';

/**
 * Returns a function that says whether a field holds a secret: by its own name, or because another
 * field names it, as in `{ name: 'token', value: … }`.
 */
export function isNamedByField(entries: readonly (readonly [key: string, item: unknown])[]): (key: string) => boolean {
  const namesSecret = entries.some(([key, item]) => NAMING_FIELD.test(key) && typeof item === 'string' && isSecretName(item));
  return (key) => isSecretName(key) || (namesSecret && VALUE_FIELD.test(key));
}

const NAMING_FIELD = /^(?:name|key|k|id|header|field|param|parameter|property|attribute|variable|label|path|type)$/i;
const VALUE_FIELD = /^(?:values?|val|v|contents?|data)$/i;

/**
 * Whether an item of a list is a secret, because the item before names a secret. `items` can be a
 * pair, a flat list of headers, or a list of arguments such as `--name`. `isListItem`: whether
 * `items` is itself an item of a list.
 */
export function isNamedByItemBefore(items: readonly unknown[], index: number, isListItem: boolean): boolean {
  const name = items[index - 1];
  if (typeof name !== 'string' || !isSecretName(name)) return false;
  const isPair = isListItem && items.length === 2;
  const isFlat = items.length % 2 === 0 && index % 2 === 1 && HEADER_NAME.test(name);
  return isPair || isFlat || /^--?\w[\w-]*$/.test(name);
}

/**
 * Only these names count in flat lists. In a list of column names, the item after `password` is
 * another name and no secret.
 */
const HEADER_NAME = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]+)$/i;
