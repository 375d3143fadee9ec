import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AuthValue } from '../definition.ts';
import type { Authenticate } from '../provider-auth.ts';

/** A bucket by its name. */
export const bucketName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'expects a bucket name: 3 to 63 lower-case letters, digits, hyphens and dots');

/** What an account of S3, or of a service that speaks like it, consists of. */
export const s3Props = z.object({
  accessKeyId: z.string().min(1).max(200).describe('Access key id'),
  secretAccessKey: z.string().min(1).max(200).describe('Secret access key'),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'expects a region such as eu-central-1')
    .describe('Region, such as eu-central-1')
    .meta({ public: true }),
  bucket: bucketName.optional().describe('Bucket to use where a call names none').meta({ public: true }),
  endpoint: z
    .string()
    .max(300)
    .regex(/^https?:\/\/[\w.-]+(:\d+)?\/?$/, 'expects an address such as https://storage.example.com')
    .refine((text) => URL.canParse(text), 'expects an address such as https://storage.example.com')
    .optional()
    .describe('Address of another service that speaks S3; empty for Amazon')
    .meta({ public: true }),
});

/** The props of a connected account. */
export function propsOf(auth: AuthValue): z.output<typeof s3Props> {
  return s3Props.parse(auth.type === 'CUSTOM_AUTH' ? auth.props : {});
}

/** Buckets are named in the path, so there is one host an account. */
export function s3BaseUrl(auth: AuthValue): string {
  const { endpoint, region } = propsOf(auth);
  return endpoint ?? `https://s3.${region}.amazonaws.com`;
}

/** Signs a request with Signature Version 4, its body included. */
export const signS3: Authenticate = async (request, auth, now) => {
  const sha256 = createHash('sha256')
    .update(request.body ?? '')
    .digest('hex');
  const { url, method } = request;
  const signer = await s3Signer(auth, now, { url, method, headers: { ...request.headers, 'x-amz-content-sha256': sha256 } });
  const { headers } = await signer.sign();
  return { ...request, headers: Object.fromEntries(headers) };
};

/** An address that may be used until it expires, without the account. */
export async function presignS3(
  auth: AuthValue,
  now: Date,
  method: 'GET' | 'PUT',
  address: URL,
  expiresInSeconds: number,
): Promise<string> {
  const url = new URL(address);
  url.searchParams.set('X-Amz-Expires', String(expiresInSeconds));
  const signed = await (await s3Signer(auth, now, { url, method, signQuery: true })).sign();
  return signed.url.href;
}

interface Signed {
  url: URL;
  method: string;
  headers?: Record<string, string>;
  signQuery?: boolean;
}

async function s3Signer(auth: AuthValue, now: Date, { url, ...request }: Signed) {
  const { AwsV4Signer } = await import('aws4fetch');
  const { accessKeyId, secretAccessKey, region } = propsOf(auth);
  const datetime = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
  return new AwsV4Signer({ ...request, url: url.href, accessKeyId, secretAccessKey, region, service: 's3', datetime });
}
