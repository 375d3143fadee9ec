import { createHash } from 'node:crypto';
import type { AuthValue } from '../../definition.ts';
import type { Authenticate } from '../../provider-auth.ts';

interface S3Account {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  region: string;
  endpoint?: string;
}

function accountOf(auth: AuthValue): S3Account {
  return (auth.type === 'CUSTOM_AUTH' ? auth.props : {}) as unknown as S3Account;
}

/** The base URL of an account. Chinese regions have another domain. */
export function s3BaseUrl(auth: AuthValue): string {
  const { endpoint, region } = accountOf(auth);
  return endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Signs a request, including its body, with Signature Version 4. */
export const signS3: Authenticate = async (request, auth, now) => {
  const sha256 = createHash('sha256')
    .update(request.body ?? '')
    .digest('hex');
  const { url, method } = request;
  const signer = await s3Signer(auth, now, { url, method, headers: { ...request.headers, 'x-amz-content-sha256': sha256 } });
  const { headers } = await signer.sign();
  return { ...request, headers: Object.fromEntries(headers) };
};

/** Returns a signed URL. Everybody who has the URL can use it until it expires. */
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
  const { accessKeyId, secretAccessKey, sessionToken, region } = accountOf(auth);
  const datetime = now.toISOString().replace(/[:-]|\.\d{3}/g, '');
  return new AwsV4Signer({
    ...request,
    url: url.href,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    region,
    service: 's3',
    datetime,
  });
}
