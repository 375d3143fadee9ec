import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ImportRequest, importIntegration } from '../../commands/integrations/import-integration.ts';
import { GatewayError } from '../../domain/errors.ts';
import { type Config, SetupError } from '../../infra/config.ts';
import { adminCommand } from './admin-command.ts';
import { getOrg } from './get-org.ts';
import { onGateway } from './on-gateway.ts';
import { IMPORT_OPTIONS, readImportSettings } from './read-import-settings.ts';
import { readOptionalId, readOptions, requireOption, UsageError } from './read-options.ts';
import { systemOperator } from './system-operator.ts';

const KINDS = ['openapi', 'mcp', 'declarative'] as const;
type Kind = (typeof KINDS)[number];

/** Imports an integration from a file or an address. Prints JSON. */
export const command = adminCommand({
  read: (args) => {
    const string = { type: 'string' } as const;
    const options = { name: string, kind: string, file: string, url: string, org: string, 'base-url': string, 'headers-file': string };
    const values = readOptions(args, { ...options, ...IMPORT_OPTIONS, preview: { type: 'boolean' } });
    if ((values.file === undefined) === (values.url === undefined)) throw new UsageError('Give exactly one of --file and --url.');
    if (values.file !== undefined && values['refresh-every'] !== undefined) throw new UsageError('--refresh-every: needs --url.');
    return {
      name: readName(requireOption('--name', values.name)),
      kind: readKind(requireOption('--kind', values.kind)),
      ...(values.file !== undefined ? { document: readText('--file', values.file) } : { url: values.url }),
      ...(values['headers-file'] !== undefined && { headers: readHeaders(readText('--headers-file', values['headers-file'])) }),
      baseUrl: values['base-url'],
      ...readImportSettings(values),
      preview: values.preview ?? false,
      org: readOptionalId('--org', values.org),
    };
  },
  run: importInto,
});

type Wanted = Omit<ImportRequest, 'orgId' | 'by'> & { org: string | undefined };

async function importInto(config: Config, { org: named, ...request }: Wanted): Promise<string> {
  return onGateway(config, async (gateway) => {
    const org = await getOrg(gateway.db, named);
    try {
      const { record, entry, report } = await importIntegration(gateway, { ...request, orgId: org.id, by: systemOperator() });
      const { id, name, version } = record;
      return JSON.stringify({ integration: { id, name, version, actions: [...entry.actions.keys()] }, report }, null, 2);
    } catch (error) {
      throw error instanceof GatewayError ? new SetupError(`${error.code}: ${error.message}`) : error;
    }
  });
}

function readName(text: string): string {
  if (/^[a-z][a-z0-9-]{1,62}$/.test(text) && text !== 'import' && text !== 'oauth-status') return text;
  throw new UsageError('--name: a name has 2 to 63 characters of a-z, 0-9 and -, starts with a letter, and is not import or oauth-status.');
}

function readKind(text: string): Kind {
  const kind = KINDS.find((known) => known === text);
  if (kind) return kind;
  throw new UsageError(`--kind: ${text} is not one of ${KINDS.join(', ')}.`);
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError(`${option}: ${file} cannot be read.`);
  }
}

const HEADERS = z.record(z.string(), z.string());

/** Headers are in a file, because other users may see the arguments. */
function readHeaders(text: string): Record<string, string> {
  try {
    const { success, data } = HEADERS.safeParse(JSON.parse(text));
    if (success) return data;
  } catch {
    // Not JSON: refused below.
  }
  throw new UsageError('--headers-file: expects JSON such as { "Authorization": "Bearer …" }.');
}
