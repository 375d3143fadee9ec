import { z } from 'zod';
import { childrenOf, readXml, textOf, type XmlElement } from '../provider-xml.ts';

/** What S3 says when it refuses. */
export const s3Error = z
  .string()
  .transform(readXml)
  .refine((root) => root?.name === 'Error')
  .transform((root) => {
    const code = textOf(root, 'Code');
    return { message: textOf(root, 'Message'), code, unauthorized: CREDENTIAL_ERRORS.has(code ?? '') };
  });

const CREDENTIAL_ERRORS = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken']);

/** The names of all buckets. */
export const readBuckets = xml('ListAllMyBucketsResult').transform((root) =>
  childrenOf(childrenOf(root, 'Buckets')[0], 'Bucket').map((bucket) => textOf(bucket, 'Name') ?? ''),
);

/** One page of a bucket, its names decoded. */
export const readListing = xml('ListBucketResult').transform((root) => ({
  files: childrenOf(root, 'Contents').map((file) => ({
    key: decodeName(textOf(file, 'Key') ?? ''),
    sizeBytes: Number(textOf(file, 'Size') ?? 0),
    etag: textOf(file, 'ETag'),
    lastModified: textOf(file, 'LastModified'),
    storageClass: textOf(file, 'StorageClass'),
  })),
  folders: childrenOf(root, 'CommonPrefixes').map((folder) => decodeName(textOf(folder, 'Prefix') ?? '')),
  nextToken: textOf(root, 'NextContinuationToken'),
}));

function xml(name: string) {
  return z
    .string()
    .transform(readXml)
    .refine((root): root is XmlElement => root?.name === name);
}

/** Names are asked for in the encoding of URLs, because XML cannot say all of them. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
