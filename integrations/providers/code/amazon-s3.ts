import type { ActionCode } from '../../declarative/to-action.ts';
import type { ProviderCode } from '../../declarative/to-integration.ts';
import { valueAt } from '../../declarative/value-at.ts';
import type { AuthValue } from '../../definition.ts';
import { buildRequest } from '../../provider-request.ts';
import { presignS3, s3BaseUrl, signS3 } from './amazon-s3-signature.ts';

interface FileInput {
  bucket?: string;
  key: string;
}

/** A policy may list a file by its key, with or without the bucket. */
function pathsOf(bucket: unknown, key: unknown): string[] {
  return bucket === undefined ? [String(key)] : [String(key), `${bucket}/${key}`];
}

const paths: ActionCode['paths'] = ({ bucket, key }) => pathsOf(bucket, key);

const readFile: ActionCode = {
  paths,
  answer({ body, headers, input }) {
    const bytes = body as Buffer;
    const { bucket, key, outputEncoding } = input as unknown as FileInput & { outputEncoding: 'utf8' | 'base64' };
    return {
      ...{ bucket, key, content: bytes.toString(outputEncoding), encoding: outputEncoding, sizeBytes: bytes.length },
      ...{ contentType: headers['content-type'], etag: headers.etag, lastModified: headers['last-modified'] },
    };
  },
};

/** The request asks for URL-encoded names, because XML cannot represent every name. */
const listFiles: ActionCode = {
  paths: ({ bucket, prefix = '' }) => pathsOf(bucket, prefix),
  answer({ body }) {
    const listing = valueAt(body, 'ListBucketResult');
    if (listing === undefined) return undefined;
    return {
      files: listOf(valueAt(listing, 'Contents')).map((file) => ({
        key: decodeName(file.Key),
        sizeBytes: Number(file.Size ?? 0),
        etag: file.ETag,
        lastModified: file.LastModified,
        storageClass: file.StorageClass,
      })),
      folders: listOf(valueAt(listing, 'CommonPrefixes')).map((folder) => decodeName(folder.Prefix)),
    };
  },
};

function listOf(value: unknown): Record<string, string | undefined>[] {
  return value === undefined ? [] : ([value].flat() as Record<string, string | undefined>[]);
}

function decodeName(name = ''): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

const copyFile: ActionCode = {
  derive({ bucket, source_bucket = bucket, source_key }) {
    return { source: `/${source_bucket}/${String(source_key).split('/').map(encodeURIComponent).join('/')}` };
  },
  paths({ bucket, key, source_bucket = bucket, source_key }) {
    return [...pathsOf(bucket, key), ...(source_key === undefined ? [] : pathsOf(source_bucket, source_key))];
  },
};

const generatePresignedUrl: ActionCode = {
  paths,
  categoryOf: ({ operation }) => (operation === 'get' ? 'read' : 'write'),
  async run({ input: { operation, expiresInSeconds, ...file }, auth, now }) {
    const account = auth as AuthValue;
    const seconds = Number(expiresInSeconds);
    const method = operation === 'get' ? 'GET' : 'PUT';
    const { url } = await buildRequest({ baseUrl: s3BaseUrl(account) }, { path: '/{bucket}/{+key}' }, file);
    const at = now();
    const expiresAt = new Date(at.getTime() + seconds * 1000).toISOString();
    return { url: await presignS3(account, at, method, url, seconds), method, expiresAt };
  },
};

export const amazonS3: ProviderCode = {
  authenticate: signS3,
  baseUrl: s3BaseUrl,
  actions: {
    upload_file: { paths },
    read_file: readFile,
    get_file_info: { paths },
    get_file_tags: { paths },
    list_files: listFiles,
    copy_file: copyFile,
    delete_file: { paths },
    generate_presigned_url: generatePresignedUrl,
  },
};
