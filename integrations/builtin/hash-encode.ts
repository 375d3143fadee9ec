import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ActionError, action, integration } from '../definition.ts';

const text = z.string().max(1024 * 1024);
const encoding = z.enum(['base64', 'base64url', 'url', 'hex']);

export const hashEncode = integration({
  name: 'hash-encode',
  displayName: 'Hash & Encode',
  description: 'Digests, encodings and random identifiers',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS'],
  auth: null,
  actions: {
    hash: action({
      displayName: 'Hash',
      description: 'Digest of the UTF-8 bytes of a text',
      category: 'read',
      input: z.object({
        text,
        algorithm: z.enum(['sha256', 'sha384', 'sha512', 'sha1']).default('sha256').describe('sha1 only for old formats: it is not secure'),
        encoding: z.enum(['hex', 'base64']).default('hex'),
      }),
      output: z.object({ digest: z.string(), algorithm: z.string(), encoding: z.string() }),
      run: ({ input }) => ({
        digest: createHash(input.algorithm).update(input.text).digest(input.encoding),
        algorithm: input.algorithm,
        encoding: input.encoding,
      }),
    }),

    encode: action({
      displayName: 'Encode',
      description: 'Encode the UTF-8 bytes of a text',
      category: 'read',
      input: z.object({ text, encoding: encoding.default('base64') }),
      output: z.object({ encoded: z.string(), encoding: z.string() }),
      run: ({ input }) => ({ encoded: encode(input.text, input.encoding), encoding: input.encoding }),
    }),

    decode: action({
      displayName: 'Decode',
      description: 'Decode to the text that was encoded; fails where the bytes are not UTF-8 text',
      category: 'read',
      input: z.object({ encoded: text, encoding: encoding.default('base64') }),
      output: z.object({ text: z.string(), encoding: z.string() }),
      run: ({ input }) => ({ text: decode(input.encoded, input.encoding), encoding: input.encoding }),
    }),

    generate_uuid: action({
      displayName: 'Generate UUID',
      description: 'Random UUIDs (version 4)',
      category: 'read',
      input: z.object({ count: z.number().int().min(1).max(100).default(1) }),
      output: z.object({ uuid: z.string().describe('the first one'), uuids: z.array(z.string()) }),
      run({ input }) {
        const first = randomUUID();
        return { uuid: first, uuids: [first, ...Array.from({ length: input.count - 1 }, () => randomUUID())] };
      },
    }),
  },
});

type Encoding = z.output<typeof encoding>;

function encode(plain: string, into: Encoding): string {
  return into === 'url' ? encodeURIComponent(plain) : Buffer.from(plain).toString(into);
}

const SHAPES = {
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?$/,
  base64url: /^(?:[\w-]{4})*(?:[\w-]{2,3}={0,2})?$/,
  hex: /^(?:[0-9a-fA-F]{2})*$/,
} as const;

function decode(encoded: string, from: Encoding): string {
  if (from === 'url') return decodeUrl(encoded);
  const compact = encoded.replace(/\s+/g, '');
  if (!SHAPES[from].test(compact)) throw new ActionError(`encoded is not valid ${from}.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(compact, from));
  } catch (cause) {
    throw new ActionError('The decoded bytes are not UTF-8 text.', undefined, { cause });
  }
}

function decodeUrl(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw new ActionError('encoded is not valid url encoding.', undefined, { cause });
  }
}
