import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, SetupError } from '../../infra/config.ts';
import { replaceReceiptKey } from '../secrets.ts';
import { adminCommand } from './admin-command.ts';
import { readOptions } from './read-options.ts';

/** Replaces the signing key in the data folder of npm start. */
export const command = adminCommand({
  read: (args) => readOptions(args, {}),
  run: rotate,
});

function rotate({ dataDir, receiptSigningKey }: Config): string {
  const folder = resolve(dataDir);
  if (receiptSigningKey)
    throw new SetupError('RECEIPT_SIGNING_KEY is set and takes precedence. Set it to a new key, and restart every API and worker.');
  if (!existsSync(join(folder, 'secrets.json')))
    throw new SetupError(
      `${folder} has no secrets. Set DATA_DIR to the service's folder. Without npm start, set RECEIPT_SIGNING_KEY to a new key.`,
    );
  replaceReceiptKey(folder);
  return `A new key for receipts is kept in ${join(folder, 'secrets.json')}. It is used from the next start of the service. Receipts signed until then stay verifiable.`;
}
