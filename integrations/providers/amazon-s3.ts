import { z } from 'zod';
import { ActionError } from '../definition.ts';
import { choices, endpoint, provider } from '../provider.ts';
import type { Paging } from '../provider-paging.ts';
import { s3BaseUrl, signS3 } from './amazon-s3-account.ts';
import { readBuckets, readListing, s3Error } from './amazon-s3-answers.ts';
import { generatePresignedUrl } from './amazon-s3-presigned-url.ts';
import { account, bucket, key, path, pathsOf, prefix } from './amazon-s3-shapes.ts';

const FILE_MAX_BYTES = 4 * 1024 * 1024;

const encoding = z.enum(['utf8', 'base64']).default('utf8');
const contentType = z
  .string()
  .max(200)
  .regex(/^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*$/, 'expects a media type such as "text/csv"');
const paging: Paging = {
  cursor: 'continuation-token',
  size: { name: 'max-keys', default: 100, max: 1000 },
  next: ({ body }) => readListing.safeParse(body).data?.nextToken,
};

const buckets = choices({
  request: { path: '/' },
  format: 'text',
  reads: readBuckets,
  options: (names) => names.map((name) => ({ label: name, value: name })),
});

export const amazonS3 = provider({
  ...account,
  name: 'amazon-s3',
  description: 'Keep and read files in buckets of Amazon S3, or of a service that speaks like it',
  logoUrl: null,
  categories: ['CONTENT_AND_FILES', 'DEVELOPER_TOOLS'],
  baseUrl: s3BaseUrl,
  authenticate: signS3,
  accountDefaults: ['bucket'],
  errors: s3Error,
  actions: {
    upload_file: endpoint({
      displayName: 'Upload file',
      description: 'Write a file, replacing what was there',
      category: 'write',
      idempotent: true,
      format: 'text',
      input: z.object({
        bucket,
        key,
        content: z.string().max(1_400_000),
        contentEncoding: encoding.describe('how content is written here'),
        contentType: contentType.default('application/octet-stream').describe('media type'),
      }),
      output: z.object({ bucket: z.string(), key: z.string(), etag: z.string().nullish(), versionId: z.string().nullish() }),
      request: {
        method: 'PUT',
        path,
        headers: ({ contentType }) => ({ 'content-type': contentType }),
        bytes: ({ content, contentEncoding }) => toBytes(content, contentEncoding),
      },
      answer: ({ headers, input }) => ({ ...named(input), etag: headers.etag, versionId: headers['x-amz-version-id'] }),
      paths: pathsOf,
      dynamic: { bucket: buckets },
    }),

    read_file: endpoint({
      displayName: 'Read file',
      description: 'The content of a file; at most 4 MB',
      category: 'read',
      format: 'bytes',
      maxBytes: FILE_MAX_BYTES,
      input: z.object({ bucket, key, outputEncoding: encoding.describe('base64 for anything that is not UTF-8 text') }),
      output: z.object({
        ...{ bucket: z.string(), key: z.string(), content: z.string(), encoding: z.string(), sizeBytes: z.number() },
        ...{ contentType: z.string().nullish(), etag: z.string().nullish(), lastModified: z.string().nullish() },
      }),
      request: { path },
      reads: z.instanceof(Buffer),
      answer: ({ body, headers, input }) => ({
        ...named(input),
        content: body.toString(input.outputEncoding),
        encoding: input.outputEncoding,
        sizeBytes: body.length,
        contentType: headers['content-type'],
        etag: headers.etag,
        lastModified: headers['last-modified'],
      }),
      paths: pathsOf,
      dynamic: { bucket: buckets },
    }),

    list_files: endpoint({
      displayName: 'List files',
      description: 'The files of a bucket, by name',
      category: 'read',
      format: 'text',
      input: z.object({
        bucket,
        prefix,
        delimiter: z.string().min(1).max(10).optional().describe('such as "/": what lies below is answered as folders'),
      }),
      output: z.object({
        files: z.array(
          z.object({
            key: z.string(),
            sizeBytes: z.number(),
            etag: z.string().nullish(),
            lastModified: z.string().nullish(),
            storageClass: z.string().nullish(),
          }),
        ),
        folders: z.array(z.string()),
      }),
      request: {
        path: '/{bucket}',
        query: ({ prefix, delimiter }) => ({ 'list-type': 2, 'encoding-type': 'url', prefix, delimiter }),
      },
      reads: readListing,
      answer: ({ body }) => body,
      paging,
      paths: ({ bucket, prefix }) => pathsOf({ bucket, key: prefix ?? '' }),
      dynamic: { bucket: buckets },
    }),

    delete_file: endpoint({
      displayName: 'Delete file',
      description: 'Delete a file; one that is not there counts as deleted',
      category: 'delete',
      idempotent: true,
      format: 'text',
      input: z.object({ bucket, key }),
      output: z.object({ bucket: z.string(), key: z.string(), deleted: z.boolean() }),
      request: { method: 'DELETE', path },
      answer: ({ input }) => ({ ...named(input), deleted: true }),
      paths: pathsOf,
      dynamic: { bucket: buckets },
    }),

    generate_presigned_url: generatePresignedUrl,
  },
});

/** Where the file is, with the bucket that was really used. */
function named({ bucket, key }: { bucket?: string | undefined; key: string }) {
  return { bucket: bucket ?? '', key };
}

function toBytes(content: string, contentEncoding: 'utf8' | 'base64'): Buffer {
  const bytes = Buffer.from(content, contentEncoding);
  if (contentEncoding === 'base64' && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(content.replace(/\s/g, '')))
    throw new ActionError('content is not base64.');
  return bytes;
}
