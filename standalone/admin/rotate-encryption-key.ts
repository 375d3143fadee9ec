import { type Rotation, rotateEncryptionKey } from '../../commands/rotate-encryption-key.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { readOptions } from './read-options.ts';
import { vaultOf } from './service-secrets.ts';

/** Brings everything under the first of the encryption keys. */
export const rotateEncryption = adminCommand({
  name: 'rotate-encryption-key',
  usage: '',
  read: (args) => readOptions(args, {}),
  run: async (config) => describe(await onDatabase(config, (db) => rotateEncryptionKey(db, vaultOf(config)))),
});

function describe({ keyId, rotated, unchanged }: Rotation): string {
  return `Everything is encrypted under the key "${keyId}": ${rotated} data keys were wrapped anew, ${unchanged} had been before.`;
}
