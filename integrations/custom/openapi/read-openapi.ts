import { GatewayError } from '../../../domain/errors.ts';
import { isObject } from '../../schema/evaluation.ts';
import type { ImportedIntegration } from '../imported-integration.ts';
import type { Imported, ImportInput } from '../importer.ts';
import { packIntegration } from '../pack-integration.ts';
import { isSelected } from '../select.ts';
import { AuthMethods } from './auth-methods.ts';
import { assertOpenapi, dialectOf, type OpenapiDocument } from './dialect.ts';
import { LeftOutError } from './left-out.ts';
import { nameOperations } from './names.ts';
import { listOperations, type Operation } from './operations.ts';
import { type ReadOperation, readOperation } from './read-operation.ts';
import type { Reading } from './reading.ts';
import { Report } from './report.ts';
import { Schemas } from './schemas.ts';
import { ownMethods, ownSecurity, securityOf } from './security.ts';
import {
  documentServer,
  firstServer,
  operationBase,
  required,
  type ServerAddress,
  type ServerSettings,
  swaggerOperationServer,
} from './servers.ts';
import { cutText, lineOf } from './texts.ts';

/** The caller's settings for a document, without secrets. */
export type OpenapiInput = Pick<
  ImportInput,
  'url' | 'select' | 'auth' | 'baseUrl' | 'serverVariables' | 'displayName' | 'description' | 'categories' | 'logoUrl'
>;

/** What the reader needs of the service. */
export interface OpenapiReach {
  names: ReadonlyMap<string, string>;
  /** Returns those of `urls` that may not be called. */
  refused(urls: readonly string[]): Promise<readonly string[]>;
}

const MAX_ACTIONS = 2000;

/**
 * Reads a document of OpenAPI 3.0, OpenAPI 3.1 or Swagger 2 (import contract 3). Throws the errors
 * of import contract 2.
 */
export async function readOpenapi(
  document: unknown,
  input: OpenapiInput,
  { names, refused }: OpenapiReach,
): Promise<Omit<Imported, 'source'> & { source: Omit<Imported['source'], 'documentHash'> }> {
  const dialect = dialectOf(document);
  assertOpenapi(document);
  const all = listOperations(document);
  const selected = all.filter((operation) => isSelected(operation, input.select));
  if (selected.length > MAX_ACTIONS) throw tooMany(selected);

  const settings: ServerSettings = { isSwagger: dialect.isSwagger, url: input.url, variables: input.serverVariables ?? {} };
  const own = new Map(input.baseUrl === undefined ? selected.flatMap((operation) => serverOf(document, operation, settings)) : []);
  const common = input.baseUrl === undefined ? commonServer(document, settings, own.size < selected.length) : { url: input.baseUrl };
  const base = required(common ?? firstOf(own.values()));
  const addresses = new Set([base, ...[...own.values()].flatMap((address) => ('url' in address ? [address.url] : []))]);
  const notAllowed = new Set(await refused([...addresses]));
  if (notAllowed.has(base))
    throw new GatewayError('ADDRESS_NOT_ALLOWED', `The server ${new URL(base).host} may not be called.`, { url: base });

  const reading: Reading = { document, dialect, schemas: new Schemas(document, dialect.isOld) };
  const methods = new AuthMethods(document, base);
  const isEverRequired = [document, ...all.map(({ content }) => content)].some(({ security }) => Array.isArray(security));
  const actionNames = nameOperations(all, names);
  const report = new Report(all.length);
  for (const operation of all) if (!isSelected(operation, input.select)) report.leaveOut(operation.operation, NOT_SELECTED);

  const read: ReadOperation[] = [];
  for (const operation of selected) {
    try {
      if (operation.problem) throw operation.problem;
      const { auth } = input;
      const security =
        auth === undefined ? securityOf(methods, document, operation.content, isEverRequired) : ownSecurity(auth, operation.content);
      const server = own.get(operation);
      if (!server && !common) throw new LeftOutError('invalid_operation', 'No server is named for this operation. Send baseUrl.');
      const baseUrl = server && operationBase(server, base, (url) => !notAllowed.has(url));
      read.push(readOperation(reading, operation, { name: actionNames.get(operation.operation)!, security, baseUrl }));
      security.use();
    } catch (error) {
      if (!(error instanceof LeftOutError)) throw error;
      report.leaveOut(operation.operation, error);
    }
  }
  if (read.length === 0) throw report.nothing(selected.length);

  const auth = input.auth === undefined ? methods.used : ownMethods(input.auth);
  const integration: ImportedIntegration = {
    ...{ format: 1, ...identity(document, input), auth, baseUrl: base },
    $defs: reading.schemas.definitions,
    actions: read.map(({ action }) => action),
  };
  const { packed, notes } = packIntegration(integration);
  const { version } = isObject(document.info) ? document.info : {};
  return {
    integration: packed,
    report: report.finish(read, packed, notes),
    source: { format: dialect.format, documentVersion: lineOf(typeof version === 'number' ? String(version) : version, 100) ?? null },
  };
}

const NOT_SELECTED = { reason: 'not_selected', message: 'The selection does not include it.' } as const;

function serverOf(document: OpenapiDocument, operation: Operation, settings: ServerSettings): [Operation, ServerAddress][] {
  const { content, pathItem } = operation;
  const address = settings.isSwagger
    ? swaggerOperationServer(document, content.schemes, settings)
    : (firstServer(content.servers, settings) ?? firstServer(pathItem.servers, settings));
  return address ? [[operation, address]] : [];
}

/**
 * The server of the operations that declare no server: the document's server, or else the origin of
 * the document's URL. Calls of these operations must not reach another operation's server.
 */
function commonServer(document: OpenapiDocument, settings: ServerSettings, isNeeded: boolean): ServerAddress | undefined {
  return documentServer(document, settings) ?? (isNeeded ? fromUrl(settings) : undefined);
}

/** Returns the first address in alphabetical order, because the order of paths has no meaning. */
function firstOf(servers: Iterable<ServerAddress>): ServerAddress | undefined {
  const all = [...servers];
  const urls = all.flatMap((address) => ('url' in address ? [address.url] : [])).sort();
  return urls[0] === undefined ? all[0] : { url: urls[0] };
}

function fromUrl({ url }: ServerSettings): ServerAddress | undefined {
  return url === undefined ? undefined : { url: new URL(url).origin };
}

function identity({ info }: OpenapiDocument, { displayName, description, categories, logoUrl }: OpenapiInput) {
  const { title, description: told, summary } = isObject(info) ? info : {};
  const text = [summary, told].filter((part) => typeof part === 'string' && part.trim() !== '').join('\n\n');
  const name = displayName ?? lineOf(title, 100) ?? 'Imported API';
  return {
    displayName: name,
    description: description ?? (text === '' ? `${name}, imported from its OpenAPI document.` : cutText(text, 2000)),
    categories: categories ?? (['DEVELOPER_TOOLS'] as const),
    ...(logoUrl !== undefined && { logoUrl }),
  };
}

/** Lists the tags with the most operations, so that the caller can select some. */
function tooMany(selected: readonly Operation[]): GatewayError {
  const counts = new Map<string, number>();
  for (const tag of selected.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const tags = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 100)
    .map(([name, operations]) => ({ name: cutText(name, 200), operations }));
  return new GatewayError(
    'TOO_MANY_ACTIONS',
    `The document has ${selected.length} selected operations; at most ${MAX_ACTIONS} are imported. Select fewer by tags, paths or ids.`,
    { operations: selected.length, maximum: MAX_ACTIONS, tags },
  );
}
