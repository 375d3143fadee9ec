import { lazy } from '../../domain/lazy.ts';
import type { Db } from '../../infra/database.ts';
import { openReceiptKey } from '../../infra/receipt-keys.ts';
import { insertReceiptKey } from '../../store/receipt-keys.ts';

/** Signs receipts with the key of this process. */
export interface ReceiptSigner {
  /** Thumbprint of the key (RFC 7638). */
  readonly kid: string;
  /** Publishes the public key. After a success, later calls do nothing. */
  register(): Promise<void>;
  /** Returns a compact JWS over the claims. */
  sign(claims: object): Promise<string>;
}

/** Opens a signer with the key in RECEIPT_SIGNING_KEY. Throws SetupError for an unusable key. */
export function openReceiptSigner(db: Db, signingKey: string): ReceiptSigner {
  const { publicKey, sign } = openReceiptKey(signingKey);
  return { kid: publicKey.kid, register: lazy(() => insertReceiptKey(db, publicKey)), sign };
}
