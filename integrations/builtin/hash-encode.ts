import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { action, integration } from '../definition.ts';
import { checkTogether, type Problem } from './check-together.ts';
import { isEncoded } from './is-encoded.ts';

const text = z.string().max(1024 * 1024);
const encoding = z.enum(['base64', 'base64url', 'url', 'hex']);
const encodedText = z.object({
  encoded: text.describe('encoded UTF-8 text'),
  encoding: encoding.default('base64').describe('encoding of the text'),
});
type Encoded = z.output<typeof encodedText>;

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
        text: text.describe('text to hash'),
        algorithm: z.enum(['sha256', 'sha384', 'sha512', 'sha1']).default('sha256').describe('sha1 only for old formats: it is not secure'),
        encoding: z.enum(['hex', 'base64']).default('hex').describe('encoding of the digest'),
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
      input: z.object({
        text: text.describe('text to encode'),
        encoding: encoding.default('base64').describe('encoding to use'),
      }),
      output: z.object({ encoded: z.string(), encoding: z.string() }),
      run: ({ input }) => ({ encoded: encode(input.text, input.encoding), encoding: input.encoding }),
    }),

    decode: action({
      displayName: 'Decode',
      description: 'Decode encoded text',
      category: 'read',
      input: checkTogether(encodedText, [{ fields: ['encoded', 'encoding'], problems: decodeProblems }]),
      output: z.object({ text: z.string(), encoding: z.string() }),
      run: ({ input }) => ({ text: decode(input).text, encoding: input.encoding }),
    }),

    generate_uuid: action({
      displayName: 'Generate UUID',
      description: 'Random UUIDs (version 4)',
      category: 'read',
      input: z.object({ count: z.number().int().min(1).max(100).default(1).describe('number of UUIDs') }),
      output: z.object({ uuid: z.string().describe('the first UUID'), uuids: z.array(z.string()) }),
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

function decodeProblems(input: Encoded): Problem[] {
  const { problem } = decode(input);
  return problem === undefined ? [] : [{ path: ['encoded'], message: problem }];
}

interface Decoded {
  text: string;
  problem?: string;
}

function decode({ encoded, encoding }: Encoded): Decoded {
  if (encoding === 'url') return decodeUrl(encoded);
  const compact = encoded.replace(/\s+/g, '');
  if (!isEncoded(compact, encoding)) return { text: '', problem: `is not valid ${encoding}` };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(compact, encoding)) };
  } catch {
    return { text: '', problem: 'does not decode to UTF-8 text' };
  }
}

function decodeUrl(encoded: string): Decoded {
  try {
    return { text: decodeURIComponent(encoded) };
  } catch {
    return { text: '', problem: 'is not valid url encoding' };
  }
}
