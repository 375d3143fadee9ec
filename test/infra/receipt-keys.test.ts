import { createPublicKey, verify } from 'node:crypto';
import { calculateJwkThumbprint, compactVerify, createLocalJWKSet } from 'jose';
import { openReceiptKey } from '../../infra/receipt-keys.ts';
import { aReceiptKey, keySetOf } from '../support/receipts.ts';

test('jose and node:crypto both verify a signature', async () => {
  const key = aReceiptKey();
  const jws = await key.sign({ says: 'yes' });
  const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(keySetOf(key)));
  expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ says: 'yes' });
  expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'approval-receipt+jwt', kid: key.publicKey.kid });
  const [head, body, signature] = jws.split('.') as [string, string, string];
  const publicKey = createPublicKey({ key: { ...key.publicKey }, format: 'jwk' });
  expect(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
});

test('a key is identified by its thumbprint, and its public part contains no secret', async () => {
  const { publicKey } = aReceiptKey();
  expect(publicKey.kid).toBe(await calculateJwkThumbprint(publicKey));
  expect(Object.keys(publicKey).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
});

test('the same seed gives the same key, with or without padding', () => {
  const seed = Buffer.alloc(32, 7).toString('base64');
  expect(openReceiptKey(seed.replace('=', '')).publicKey).toEqual(openReceiptKey(seed).publicKey);
});

test.each([
  ['empty', ''],
  ['not base64', 'a key that I made up, of some length.......'],
  ['of 31 bytes', Buffer.alloc(31, 7).toString('base64')],
  ['of 33 bytes', Buffer.alloc(33, 7).toString('base64')],
  ['of 64 bytes', Buffer.alloc(64, 7).toString('base64')],
])('a key that is %s is refused; the message says how to create a key and does not contain the key', (_, text) => {
  expect(() => openReceiptKey(text)).toThrow(
    /^RECEIPT_SIGNING_KEY must be base64 of exactly 32 bytes\. Make one with: openssl rand -base64 32$/,
  );
});

test.each([
  ['all zeros', Buffer.alloc(32, 0)],
  ['all ones', Buffer.alloc(32, 1)],
  ['the one of RFC 8032', Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')],
])('a sample key is refused: %s', (_, seed) => {
  expect(() => openReceiptKey(seed.toString('base64'))).toThrow(/^RECEIPT_SIGNING_KEY is a sample\./);
});
