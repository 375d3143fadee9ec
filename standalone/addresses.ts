import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../infra/config.ts';

/**
 * Addresses of the running service. `apiUrl` and `temporalUi` are for this machine, `baseUrl` and
 * `platformUrl` are public.
 */
export type Addresses = {
  apiUrl: string;
  temporalUi: string | undefined;
  baseUrl: string;
  platformUrl: string;
  temporal: Pick<Config['temporal'], 'address' | 'namespace' | 'taskQueue'>;
};

/** Writes the addresses to the data folder, for other processes of this machine. */
export function writeAddresses(dataDir: string, addresses: Addresses): void {
  writeFileSync(fileOf(dataDir), JSON.stringify(addresses), { mode: 0o600 });
}

/**
 * The addresses of the service that ran last on this data folder. Older versions wrote only some of
 * the fields.
 */
export function readAddresses(dataDir: string): (Pick<Addresses, 'apiUrl' | 'temporalUi'> & Partial<Addresses>) | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8'));
  } catch {
    return undefined;
  }
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'addresses.json');
}
