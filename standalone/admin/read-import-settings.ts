import type { ImportRequest } from '../../commands/integrations/import-integration.ts';
import { UsageError } from './read-options.ts';

const several = { type: 'string', multiple: true } as const;

/** Options of `import` that select actions or handle changes of the document. */
export const IMPORT_OPTIONS = {
  operation: several,
  tag: several,
  path: several,
  method: several,
  tool: several,
  'server-variable': several,
  'refresh-every': { type: 'string' },
  'on-change': { type: 'string' },
} as const;

type Values = { [Name in 'operation' | 'tag' | 'path' | 'method' | 'tool' | 'server-variable']?: string[] } & {
  'refresh-every'?: string;
  'on-change'?: string;
};

/** Reads the IMPORT_OPTIONS as fields of an import. Throws UsageError. */
export function readImportSettings(values: Values): Pick<ImportRequest, 'select' | 'serverVariables' | 'refreshEverySeconds' | 'onChange'> {
  const { operation: operations, tag: tags, path: paths, method: methods, tool: tools } = values;
  const select = { operations, tags, paths, methods, tools };
  return {
    ...(Object.values(select).some(Boolean) && { select }),
    serverVariables: values['server-variable'] && Object.fromEntries(values['server-variable'].map(readVariable)),
    refreshEverySeconds: values['refresh-every'] === undefined ? undefined : readSeconds(values['refresh-every']),
    onChange: values['on-change'] === undefined ? undefined : readOnChange(values['on-change']),
  };
}

function readVariable(text: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError(`--server-variable: expects NAME=VALUE, not ${text}.`);
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text === '0' || (/^\d+$/.test(text) && seconds >= 60 && seconds <= 604_800)) return seconds;
  throw new UsageError('--refresh-every: expects 0, or 60 to 604800 seconds.');
}

function readOnChange(text: string): 'hold' | 'block' {
  if (text === 'hold' || text === 'block') return text;
  throw new UsageError('--on-change: expects hold or block.');
}
