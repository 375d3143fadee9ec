import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { CompactSign } from 'jose';
import { SetupError } from './config.ts';

/** The media type in a receipt's header, so that no other signed text passes as a receipt. */
export const RECEIPT_TYPE = 'approval-receipt+jwt';
export const RECEIPT_ALGORITHM = 'EdDSA';

/** A public key as the published key set lists it (RFC 7517, RFC 8037). */
export interface PublicReceiptKey {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  use: 'sig';
  alg: typeof RECEIPT_ALGORITHM;
}

/** The key with which this process signs receipts. */
export interface ReceiptKey {
  publicKey: PublicReceiptKey;
  /** Returns a compact JWS (RFC 7515) of the claims as JSON. */
  sign(claims: object): Promise<string>;
}

const SEED_BYTES = 32;

/** Opens the key of RECEIPT_SIGNING_KEY. Throws a SetupError. */
export function openReceiptKey(text: string): ReceiptKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, readSeed(text)]), format: 'der', type: 'pkcs8' });
  const x = createPublicKey(privateKey).export({ format: 'jwk' }).x!;
  const kid = thumbprint(x);
  const header = { alg: RECEIPT_ALGORITHM, typ: RECEIPT_TYPE, kid };
  return {
    publicKey: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: RECEIPT_ALGORITHM },
    sign: (claims) => new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(header).sign(privateKey),
  };
}

/** The bytes before the seed in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Seeds that are refused: all bytes 0, all bytes 1, and the seed in RFC 8032 and RFC 8037. */
const SAMPLES = ['00'.repeat(SEED_BYTES), '01'.repeat(SEED_BYTES), '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'];

function readSeed(text: string): Buffer {
  if (!/^[A-Za-z0-9+/]{43}=?$/.test(text.trim()))
    throw new SetupError(
      `RECEIPT_SIGNING_KEY must be base64 of exactly ${SEED_BYTES} bytes. Make one with: openssl rand -base64 ${SEED_BYTES}`,
    );
  const seed = Buffer.from(text, 'base64');
  if (SAMPLES.includes(seed.toString('hex')))
    throw new SetupError(`RECEIPT_SIGNING_KEY is a sample. Make one with: openssl rand -base64 ${SEED_BYTES}`);
  return seed;
}

/** The thumbprint of RFC 7638: a hash of the required members, sorted by name. */
function thumbprint(x: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}
