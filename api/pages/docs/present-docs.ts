import { curlCommand } from './curl-command.ts';
import { describeFields, type FieldRow, typeOf } from './describe-schema.ts';
import { type MarkdownPart, readMarkdown } from './read-markdown.ts';

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  type: string;
  description: string;
  choices: string[] | undefined;
  example: string;
}

interface Answer {
  status: string;
  description: string;
  record: string | undefined;
  example: string | undefined;
}

interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: MarkdownPart[][];
  /** Whether the operation takes no API key. */
  isPublic: boolean;
  parameters: Parameter[];
  body: { required: boolean; fields: FieldRow[]; example: string; others: { title: string; example: string }[] } | undefined;
  answers: Answer[];
  errors: { status: string; description: MarkdownPart[][] }[];
  curl: string;
}

/** The data of the page `/docs`. */
export interface Docs {
  title: string;
  introduction: MarkdownPart[][];
  server: string;
  groups: { id: string; name: string; description: string; operations: Operation[] }[];
  records: { id: string; fields: FieldRow[] }[];
}

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is read field by field
type Document = any;

const METHODS = ['get', 'post', 'patch', 'delete'];

/** Prepares the page for an OpenAPI document. */
export function presentDocs(document: Document): Docs {
  const records = recordNames(document);
  const operations = Object.entries<Document>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      tag: item[method].tags[0],
      ...presentOperation(document, records, { method, path, operation: item[method] }),
    })),
  );
  return {
    title: document.info.title,
    introduction: readMarkdown(document.info.description),
    server: document.servers[0].url,
    groups: document.tags.map(({ name, description }: Document) => ({
      id: name.toLowerCase().replaceAll(' ', '-'),
      name,
      description,
      operations: operations.filter(({ tag }) => tag === name),
    })),
    records: [...records].map((id) => ({ id, fields: describeFields(document, document.components.schemas[id], records) })),
  };
}

/** All schemas except the bodies and answers of operations. */
function recordNames({ components }: Document): ReadonlySet<string> {
  return new Set(Object.keys(components.schemas).filter((name) => !/^(?:Get|Post|Patch|Delete)[A-Z].*(?:Body|Answer)/.test(name)));
}

interface Described {
  method: string;
  path: string;
  operation: Document;
}

function presentOperation(document: Document, records: ReadonlySet<string>, { method, path, operation }: Described): Operation {
  const media = operation.requestBody?.content['application/json'];
  const [usual, ...others] = Object.values<Document>(media?.examples ?? { usual: { value: media?.example } });
  const isPublic = operation.security?.length === 0;
  const responses = Object.entries<Document>(operation.responses).map(([status, response]) => ({ status, ...resolve(document, response) }));
  const isError = ({ status }: Document) => Number(status) >= 400;
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: readMarkdown(operation.description ?? ''),
    isPublic,
    parameters: (operation.parameters ?? []).map((parameter: Document) => presentParameter(document, parameter)),
    body: media && {
      required: operation.requestBody.required,
      fields: describeFields(document, media.schema, records),
      example: toText(usual.value) ?? '{}',
      others: others.map(({ summary, value }) => ({ title: summary, example: toText(value)! })),
    },
    answers: responses.filter((response) => !isError(response)).map((response) => presentAnswer(document, records, response)),
    errors: responses.filter(isError).map(({ status, description }) => ({ status, description: readMarkdown(description) })),
    curl: curlCommand({ method, url: document.servers[0].url + path, isPublic, body: usual.value }),
  };
}

function presentParameter(document: Document, { name, in: place, required = false, schema, description }: Document): Parameter {
  const words = description ?? schema.description ?? '';
  const example = required && schema.format === 'uuid' ? EXAMPLE_ID : '';
  return { name, in: place, required, type: typeOf(document, schema), description: words, choices: schema.enum, example };
}

const EXAMPLE_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

function presentAnswer(document: Document, records: ReadonlySet<string>, { status, description, content }: Document): Answer {
  const media = content?.['application/json'];
  const text = JSON.stringify([media?.schema, resolve(document, media?.schema)]);
  const mentioned = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
  return { status, description, record: mentioned.find((name) => records.has(name)), example: toText(media?.example) };
}

function resolve(document: Document, node: Document): Document {
  if (!node?.$ref) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((found: Document, key: string) => found[key], document);
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value, null, 2);
}
