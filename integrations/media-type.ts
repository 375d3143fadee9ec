/** The essence of a media type: `application/json` of `application/json; charset=utf-8`. */
export function essenceOf(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/** Whether values of a media type are JSON. */
export function isJsonType(contentType: string): boolean {
  const essence = essenceOf(contentType);
  return essence === 'application/json' || essence === 'text/json' || essence.endsWith('+json');
}

/** Whether values of a media type are text that a person can read. */
export function isTextType(contentType: string): boolean {
  const essence = essenceOf(contentType);
  return essence.startsWith('text/') || /[/+](xml|yaml)$/.test(essence) || TEXTS.has(essence);
}

const TEXTS = new Set([
  'application/javascript',
  'application/x-javascript',
  'application/ecmascript',
  'application/graphql',
  'application/x-ndjson',
  'application/jsonl',
  'application/x-jsonlines',
  'application/json-seq',
  'application/x-yaml',
  'application/sql',
  'application/toml',
  'application/x-sh',
  'application/x-www-form-urlencoded',
  'application/jwt',
]);
