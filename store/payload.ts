import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzipSync } from 'node:zlib';

const COMPRESS_ABOVE_BYTES = 8 * 1024;
const PLAIN = 0;
const GZIP = 1;

/** Encodes a JSON value (undefined as null) as bytes, compressed above 8 kB. */
export function encodePayload(value: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(value ?? null), 'utf8');
  return text.length > COMPRESS_ABOVE_BYTES
    ? Buffer.concat([Buffer.from([GZIP]), gzipSync(text, { level: 1 })])
    : Buffer.concat([Buffer.from([PLAIN]), text]);
}

export function decodePayload<Value>(bytes: Buffer): Value {
  const body = bytes.subarray(1);
  return JSON.parse((bytes[0] === GZIP ? gunzipSync(body) : body).toString('utf8'));
}

const unpack = promisify(gunzip);

/** Returns the JSON text of stored bytes, decompressed in another thread. */
export async function readPayload(bytes: Buffer): Promise<string> {
  const body = bytes.subarray(1);
  return (bytes[0] === GZIP ? await unpack(body) : body).toString('utf8');
}
