import { z } from 'zod';
import type { AuthMethod } from '../definition.ts';
import { isDots } from '../provider-request.ts';
import { bucketName, s3Props } from './amazon-s3-account.ts';

export const bucket = bucketName.optional().describe('name of the bucket; default: that of the connected account');
export const key = z.string().min(1).max(1024).describe('name of the file, such as reports/2026/march.csv');

/** What names of files begin with; no part of it may be one that a rule about paths resolves away. */
export const prefix = z
  .string()
  .max(1024)
  .refine((text) => !text.split(/[\\/]/).some(isDots), 'holds a part that is "." or ".."')
  .optional()
  .describe('only files whose names begin with this');

/** Where a file is. */
export const path = '/{bucket}/{+key}';

/** A policy may name the file with its bucket or without. */
export function pathsOf({ bucket, key }: { bucket?: string | undefined; key: string }): string[] {
  return bucket === undefined ? [key] : [key, `${bucket}/${key}`];
}

/** What an account is. */
export const account = {
  displayName: 'Amazon S3',
  auth: [
    {
      key: 'access-key',
      type: 'CUSTOM_AUTH',
      displayName: 'Access key',
      description: 'An access key of a user who may reach the buckets; also of services that speak S3',
      props: s3Props,
    },
  ] satisfies AuthMethod[],
};
