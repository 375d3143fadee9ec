import { z } from 'zod';
import { action } from '../definition.ts';
import { accountOf } from '../provider-auth.ts';
import { buildRequest } from '../provider-request.ts';
import { presignS3, s3BaseUrl } from './amazon-s3-account.ts';
import { account, bucket, key, path, pathsOf } from './amazon-s3-shapes.ts';

/** Hands out an address; it is worked out here, without a request. */
export const generatePresignedUrl = action({
  displayName: 'Generate presigned URL',
  description: 'An address at which anybody may read, or write, one file until it expires',
  category: 'write',
  categoryOf: ({ operation }) => (operation === 'get' ? 'read' : 'write'),
  idempotent: true,
  input: z.object({
    bucket,
    key,
    operation: z.enum(['get', 'put']).default('get'),
    expiresInSeconds: z.int().min(1).max(604_800).default(3600).describe('at most a week'),
  }),
  output: z.object({ url: z.string(), method: z.string(), expiresAt: z.string() }),
  paths: pathsOf,
  async run({ input: { operation, expiresInSeconds, ...input }, auth, now }) {
    const using = accountOf(account, auth);
    const method = operation === 'get' ? 'GET' : 'PUT';
    const { url } = buildRequest({ baseUrl: s3BaseUrl(using) }, { path }, input);
    const at = now();
    return {
      url: await presignS3(using, at, method, url, expiresInSeconds),
      method,
      expiresAt: new Date(at.getTime() + expiresInSeconds * 1000).toISOString(),
    };
  },
});
