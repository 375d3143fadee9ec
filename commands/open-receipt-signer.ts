import { keepSuccess } from '../domain/keep-success.ts';
import type { Db } from '../infra/database.ts';
import { openReceiptKey } from '../infra/receipt-keys.ts';
import { insertReceiptKey } from '../store/receipt-keys.ts';

/** Signs receipts under the key of this process. */
export interface ReceiptSigner {
  /** Of the key (RFC 7638). */
  readonly kid: string;
  /** Makes the public key known, once; whatever is signed under it can be verified from then on. */
  register(): Promise<void>;
  /** A compact JWS over the claims. */
  sign(claims: object): Promise<string>;
}

/** Opens the signer of RECEIPT_SIGNING_KEY. Throws a SetupError for a key that is malformed, short or a sample. */
export function openReceiptSigner(db: Db, signingKey: string): ReceiptSigner {
  const { publicKey, sign } = openReceiptKey(signingKey);
  return { kid: publicKey.kid, register: keepSuccess(() => insertReceiptKey(db, publicKey)), sign };
}
