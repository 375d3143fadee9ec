import { type Rotation, rotateEncryptionKey } from '../../commands/access/rotate-encryption-key.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { readOptions } from './read-options.ts';
import { vaultOf } from './service-secrets.ts';

/** Encrypts all data keys with the first encryption key. */
export const command = adminCommand({
  read: (args) => readOptions(args, {}),
  run: async (config) => describe(await onDatabase(config, (db) => rotateEncryptionKey(db, vaultOf(config)))),
});

function describe({ keyId, rotated, unchanged, resealed }: Rotation): string {
  const bound = resealed > 0 ? ` ${resealed} secrets of an older version were encrypted again, bound to their workspace.` : '';
  return `Everything is encrypted with the key "${keyId}": ${rotated} data keys were rewrapped, ${unchanged} already used it.${bound}`;
}
