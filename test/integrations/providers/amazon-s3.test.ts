import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthValue } from '../../../integrations/definition.ts';
import { type Fake, openFake, options, providerNamed, run, type Seen } from './provider-bed.ts';

const HOST = 's3.eu-central-1.amazonaws.com';
const props = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+s3cret', region: 'eu-central-1' };
const auth: AuthValue = { type: 'CUSTOM_AUTH', props: { ...props, bucket: 'reports' } };
const now = new Date('2026-03-04T05:06:07.890Z');
const amazonS3 = providerNamed('amazon-s3');
let fake: Fake;

beforeAll(async () => {
  fake = await openFake(`https://${HOST}`);
});
afterAll(() => fake.close());

const call = (name: string, input: object, as: AuthValue = auth) => run(amazonS3, name, input, { auth: as, outbound: fake.outbound, now });
const listing = (inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inside}</ListBucketResult>`;

describe('actions', () => {
  test('upload_file sends a signed request with the bytes to the bucket of the account', async () => {
    fake.answers({ headers: { etag: '"abc"', 'x-amz-version-id': 'v1' } });
    const input = { key: "a b/ü'(1)*!+.csv", content: 'x;y', contentType: 'text/csv; charset=utf-8' };
    expect(await call('upload_file', input)).toEqual({ bucket: 'reports', key: input.key, etag: '"abc"', versionId: 'v1' });
    const [request] = fake.seen as [Seen];
    expect(request).toMatchObject({
      method: 'PUT',
      url: "/reports/a%20b/%C3%BC'(1)*!%2B.csv",
      headers: { 'content-type': 'text/csv; charset=utf-8', 'x-amz-date': '20260304T050607Z', 'x-amz-content-sha256': sha256('x;y') },
      body: 'x;y',
    });
    expect(request.headers.authorization).toBe(authorizationOf(request));
  });

  test('upload_file accepts base64, and explains invalid base64', async () => {
    fake.answers({});
    await call('upload_file', { key: 'a', content: 'aGk=', contentEncoding: 'base64' });
    expect(fake.seen[0]!.body).toBe('hi');
    await expect(call('upload_file', { key: 'a', content: 'no!', contentEncoding: 'base64' })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'The content of a file must be base64.',
    });
  });

  test('read_file returns text or base64', async () => {
    const headers = { 'content-type': 'text/plain', etag: '"e"', 'last-modified': 'Wed, 04 Mar 2026 05:06:07 GMT' };
    fake.answers({ headers, body: Buffer.from('héllo') });
    const common = { bucket: 'other-bucket', key: 'a.txt', sizeBytes: 6, contentType: 'text/plain', etag: '"e"' };
    expect(await call('read_file', { bucket: 'other-bucket', key: 'a.txt' })).toEqual({
      ...{ ...common, content: 'héllo', encoding: 'utf8', lastModified: headers['last-modified'] },
    });
    expect(await call('read_file', { bucket: 'other-bucket', key: 'a.txt', outputEncoding: 'base64' })).toMatchObject({
      content: Buffer.from('héllo').toString('base64'),
    });
    expect(fake.seen[0]).toMatchObject({ method: 'GET', url: '/other-bucket/a.txt' });
    expect(fake.seen[0]!.headers.authorization).toBe(authorizationOf(fake.seen[0]!));
  });

  test('list_files returns names, folders and the next page', async () => {
    fake.answers({
      headers: { 'content-type': 'application/xml' },
      body: listing(
        '<Name>reports</Name><EncodingType>url</EncodingType><NextContinuationToken>1/a+b=</NextContinuationToken>' +
          '<Contents><Key>2026/a+b%26%C3%BC.csv</Key><Size>12</Size><ETag>&quot;e&quot;</ETag>' +
          '<LastModified>2026-01-01T00:00:00.000Z</LastModified><StorageClass>STANDARD</StorageClass></Contents>' +
          '<CommonPrefixes><Prefix>2026%2Fold/</Prefix></CommonPrefixes>',
      ),
    });
    expect(await call('list_files', { prefix: '2026/', delimiter: '/', limit: 2, cursor: 'c+1' })).toEqual({
      files: [{ key: '2026/a b&ü.csv', sizeBytes: 12, etag: '"e"', lastModified: '2026-01-01T00:00:00.000Z', storageClass: 'STANDARD' }],
      folders: ['2026/old/'],
      nextCursor: '1/a+b=',
    });
    const [request] = fake.seen as [Seen];
    expect(request.url).toBe('/reports?list-type=2&encoding-type=url&prefix=2026%2F&delimiter=%2F&max-keys=2&continuation-token=c%2B1');
    expect(request.headers.authorization).toBe(authorizationOf(request));
    fake.answers({ body: listing('') });
    expect(await call('list_files', {})).toEqual({ files: [], folders: [], nextCursor: null });
  });

  test('generate_presigned_url makes no request', async () => {
    fake.answers({});
    const { url, ...rest } = await call('generate_presigned_url', { key: 'a b.csv', operation: 'put', expiresInSeconds: 60 });
    expect(rest).toEqual({ method: 'PUT', expiresAt: '2026-03-04T05:07:07.890Z' });
    expect(fake.seen).toEqual([]);
    const { origin, pathname, searchParams } = new URL(url as string);
    expect(origin + pathname).toBe(`https://${HOST}/reports/a%20b.csv`);
    const signature = searchParams.get('X-Amz-Signature');
    searchParams.delete('X-Amz-Signature');
    expect(Object.fromEntries(searchParams)).toEqual({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${props.accessKeyId}/20260304/eu-central-1/s3/aws4_request`,
      'X-Amz-Date': '20260304T050607Z',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host',
    });
    const query = `${searchParams}`;
    expect(signature).toBe(sign(['PUT', pathname, sorted(query), `host:${HOST}\n`, 'host', 'UNSIGNED-PAYLOAD'], '20260304T050607Z'));
  });
});

test('another S3-compatible service is called at its own address', async () => {
  const other = await openFake('https://minio.example.com:9000');
  other.answers({});
  const as: AuthValue = { type: 'CUSTOM_AUTH', props: { ...props, endpoint: 'https://minio.example.com:9000' } };
  await run(amazonS3, 'upload_file', { bucket: 'box', key: 'a', content: '' }, { auth: as, outbound: other.outbound });
  expect(other.seen[0]!.url).toBe('/box/a');
  await other.close();
});

describe('failures', () => {
  const xml = (code: string, message: string) => ({
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>${message}</Message><AWSAccessKeyId>${props.accessKeyId}</AWSAccessKeyId></Error>`,
  });

  test('errors of S3 are explained', async () => {
    fake.answers({ status: 404, ...xml('NoSuchKey', 'The specified key does not exist.') });
    await expect(call('read_file', { key: 'a' })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'Amazon S3 answered 404 Not Found: The specified key does not exist. (NoSuchKey)',
      details: { status: 404, code: 'NoSuchKey' },
    });
  });

  test('refused credentials are reported as an account problem, and not quoted', async () => {
    fake.answers({ status: 403, ...xml('SignatureDoesNotMatch', `Key ${props.accessKeyId}, secret ${props.secretAccessKey}`) });
    const error = await call('list_files', {}).catch((thrown) => thrown);
    expect(error).toMatchObject({ details: { status: 403, code: 'SignatureDoesNotMatch', reason: 'unauthorized' } });
    expect(error.message).toContain('Key [redacted], secret [redacted]');
  });

  test('a call is refused if neither the input nor the account names a bucket', () =>
    expect(call('read_file', { key: 'a' }, { type: 'CUSTOM_AUTH', props })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'bucket is missing.',
    }));

  test.each(['../other-bucket/x', 'a/../../x', '.', 'a/./b', 'secret/a\\..\\..\\b'])(
    'the key %j is refused, because it could change the address',
    (key) =>
      expect(call('read_file', { key })).rejects.toMatchObject({
        code: 'ACTION_FAILED',
        message: expect.stringContaining('key cannot be'),
      }),
  );

  test.each([
    '<!DOCTYPE x [<!ENTITY e "boom">]><ListBucketResult>&e;</ListBucketResult>',
    '<ListBucketResult><Contents></ListBucketResult>',
    '<Other/>',
    '{}',
    '',
  ])('an answer that is not a listing is reported: %j', async (body) => {
    fake.answers({ body });
    await expect(call('list_files', {})).rejects.toMatchObject({ details: { reason: 'unexpected_answer' } });
  });

  test('the error for an incomplete account names the missing parts', async () => {
    const error = await call('list_files', {}, { type: 'CUSTOM_AUTH', props: { ...props, region: 'x.evil.com/' } }).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: 'ACTION_FAILED', message: expect.stringContaining('not complete: region') });
  });
});

test('the buckets of the account are offered as choices', async () => {
  const body =
    '<ListAllMyBucketsResult><Buckets><Bucket><Name>reports</Name></Bucket><Bucket><Name>b2</Name></Bucket></Buckets></ListAllMyBucketsResult>';
  fake.answers({ body });
  expect(await options(amazonS3, 'read_file.bucket', {}, { auth, outbound: fake.outbound, search: 'rep' })).toEqual([
    { label: 'reports', value: 'reports' },
  ]);
  expect(fake.seen[0]!.url).toBe('/');
});

describe('facts for policies', () => {
  const { list_files, generate_presigned_url, list_buckets: _, get_bucket_location: __, ...others } = amazonS3.actions;
  const onOneFile = [...Object.entries(others), ['generate_presigned_url', generate_presigned_url!] as const];

  test.each(onOneFile)('policies see the path of the file of %s, with and without the bucket', (_, action) =>
    expect(action.paths!({ key: 'a/b', bucket: 'x' })).toEqual(['a/b', 'x/a/b']),
  );

  test('policies see the prefix of list_files as a path, with and without the bucket', () => {
    expect(list_files!.paths!({ prefix: 'a/', bucket: 'x' })).toEqual(['a/', 'x/a/']);
    expect(list_files!.paths!({ bucket: 'x' })).toEqual(['', 'x/']);
  });

  test.each(Object.entries(amazonS3.actions).filter(([name]) => name !== 'list_buckets'))(
    "%s uses the account's bucket if the call names none",
    (_, action) => {
      expect(action.completeInput!({ key: 'a' }, auth)).toEqual({ key: 'a', bucket: 'reports' });
      expect(action.completeInput!({ key: 'a', bucket: 'other' }, auth)).toEqual({ key: 'a', bucket: 'other' });
      for (const bucket of [undefined, '../x', 7])
        expect(action.completeInput!({ key: 'a' }, { type: 'CUSTOM_AUTH', props: { ...props, bucket } })).toEqual({ key: 'a' });
    },
  );

  test.each(['secret/..', '../secret', '.', 'a\\..\\b'])('the prefix %j is refused, because path rules normalize it', (prefix) =>
    expect(call('list_files', { prefix })).rejects.toMatchObject({ issues: [{ path: 'prefix' }] }),
  );

  test('creating a presigned URL for reading is a read', () => {
    expect(generate_presigned_url!.categoryOf({ operation: 'get' })).toBe('read');
    expect(generate_presigned_url!.categoryOf({ operation: 'put' })).toBe('write');
  });
});

/** Returns the header `Authorization` that Signature Version 4 specifies for a received request. */
function authorizationOf({ method, url, headers }: Seen): string {
  const { pathname, search } = new URL(url, `https://${HOST}`);
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')![1]!;
  const lines = signed.split(';').map((name) => `${name}:${name === 'host' ? HOST : headers[name]}\n`);
  const parts = [method, encodePath(pathname), sorted(search.slice(1)), lines.join(''), signed, String(headers['x-amz-content-sha256'])];
  const at = String(headers['x-amz-date']);
  const scope = `${at.slice(0, 8)}/eu-central-1/s3/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=${props.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${sign(parts, at)}`;
}

function sign(parts: string[], at: string): string {
  const text = ['AWS4-HMAC-SHA256', at, `${at.slice(0, 8)}/eu-central-1/s3/aws4_request`, sha256(parts.join('\n'))].join('\n');
  const key = [at.slice(0, 8), 'eu-central-1', 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${props.secretAccessKey}`);
  return hmac(key, text).toString('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function encodePath(path: string): string {
  return decodeURIComponent(path).split('/').map(encode).join('/');
}

function sorted(query: string): string {
  return [...new URLSearchParams(query)]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}
