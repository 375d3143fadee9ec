import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts with AES-256-GCM. Returns nonce, tag and ciphertext, in this order. Decryption needs the
 * same associated data.
 */
export function encrypt(key: Buffer, plaintext: Buffer, associatedData: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(associatedData));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/**
 * Decrypts a result of `encrypt`. Throws for another key, other associated data or changed bytes.
 */
export function decrypt(key: Buffer, encrypted: Buffer, associatedData: string): Buffer {
  if (encrypted.length < HEAD_BYTES) throw new Error('an encrypted value is too short');
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(associatedData))
    .setAuthTag(encrypted.subarray(NONCE_BYTES, HEAD_BYTES));
  return Buffer.concat([decipher.update(encrypted.subarray(HEAD_BYTES)), decipher.final()]);
}
