import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, SetupError } from '../../infra/config.ts';
import { replaceReceiptKey } from '../secrets.ts';
import { adminCommand } from './admin-command.ts';
import { readOptions } from './read-options.ts';

/** Puts a new signing key into what npm start keeps. */
export const rotateReceipts = adminCommand({
  name: 'rotate-receipt-key',
  usage: '',
  read: (args) => readOptions(args, {}),
  run: rotate,
});

function rotate({ dataDir, receiptSigningKey }: Config): string {
  const folder = resolve(dataDir);
  if (receiptSigningKey)
    throw new SetupError('RECEIPT_SIGNING_KEY is set, and wins over what is kept: set it to a new key, and restart every API and worker.');
  if (!existsSync(join(folder, 'secrets.json')))
    throw new SetupError(
      `${folder} keeps no secrets. Set DATA_DIR as the service has it; without npm start, set RECEIPT_SIGNING_KEY anew.`,
    );
  replaceReceiptKey(folder);
  return `A new key for receipts is kept in ${join(folder, 'secrets.json')}. It counts from the next start of the service; receipts that were signed until then stay verifiable.`;
}
