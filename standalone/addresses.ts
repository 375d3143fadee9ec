import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../infra/config.ts';

/** Where a running service can be found by people and programs on this machine, and what it calls itself. */
export type Addresses = {
  apiUrl: string;
  temporalUi: string | undefined;
  baseUrl: string;
  platformUrl: string;
  temporal: Pick<Config['temporal'], 'address' | 'namespace' | 'taskQueue'>;
};

/** Leaves the addresses in the data folder, for whoever looks for the service that runs on it. */
export function writeAddresses(dataDir: string, addresses: Addresses): void {
  writeFileSync(fileOf(dataDir), JSON.stringify(addresses), { mode: 0o600 });
}

/** The addresses of the service that ran last on this data folder, as far as its version wrote them; undefined when none did. */
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
