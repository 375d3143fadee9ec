import { z } from 'zod';
import { STORED_FILE_MAX_BYTES } from '../../domain/limits.ts';
import { normalizePath } from '../../domain/policies/normal-path.ts';
import { ActionError, action, integration, type StoredFileInfo } from '../definition.ts';
import { checkTogether, type Problem } from './check-together.ts';
import { isEncoded } from './is-encoded.ts';
import { storableText } from './storable-text.ts';

const PATH_MAX_BYTES = 1024;
const CONTENT_MAX_LENGTH = 1_400_000;

const path = storableText(PATH_MAX_BYTES)
  .overwrite(normalizePath)
  .refine((normal) => normal !== '', 'names no file')
  .describe('such as reports/2026/march.csv; "." and ".." are resolved, never above the root');
const encoding = z.enum(['utf8', 'base64']).default('utf8');
const fileInfo = z.object({ path: z.string(), contentType: z.string(), sizeBytes: z.number(), updatedAt: z.string() });

const newFile = z.object({
  path,
  content: z.string().max(CONTENT_MAX_LENGTH).describe('content of the file'),
  contentType: z
    .string()
    .max(200)
    .regex(/^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*$/, 'expects a media type such as "text/csv"')
    .optional()
    .describe('media type; default: text/plain for utf8, application/octet-stream for base64'),
  contentEncoding: encoding.describe('encoding of content'),
});

export const storage = integration({
  name: 'storage',
  displayName: 'Filesystem',
  description: 'Keep files between calls, and share them by link',
  logoUrl: null,
  categories: ['CONTENT_AND_FILES'],
  auth: null,
  actions: {
    read_file: action({
      displayName: 'Read file',
      description: 'The content of a file',
      category: 'read',
      input: z.object({ path, outputEncoding: encoding.describe('base64 for anything that is not UTF-8 text') }),
      output: fileInfo.extend({ content: z.string(), encoding: z.string() }),
      paths: ({ path }) => [path],
      async run({ input, state }) {
        const file = await state().files.read(input.path);
        if (!file) throw noSuchFile(input.path);
        return { ...present(file), content: toText(file.content, input.outputEncoding), encoding: input.outputEncoding };
      },
    }),

    write_file: action({
      displayName: 'Write file',
      description: 'Write a file, replacing an existing one; at most 1 MB',
      category: 'write',
      idempotent: true,
      input: checkTogether(newFile, [{ fields: ['content', 'contentEncoding'], problems: contentProblems }]),
      output: fileInfo,
      paths: ({ path }) => [path],
      async run({ input, state }) {
        const isText = input.contentEncoding === 'utf8';
        const contentType = input.contentType ?? (isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
        const content = contentOf(input);
        return present(await state().files.write(input.path, { content, contentType }));
      },
    }),

    delete_file: action({
      displayName: 'Delete file',
      description: 'Delete a file',
      category: 'delete',
      idempotent: true,
      input: z.object({ path }),
      output: z.object({ path: z.string(), deleted: z.boolean().describe('whether there was something to delete') }),
      paths: ({ path }) => [path],
      run: async ({ input, state }) => ({ path: input.path, deleted: await state().files.delete(input.path) }),
    }),

    list_files: action({
      displayName: 'List files',
      description: 'Files by path, at most 1,000. If truncated is true, there are more: use prefix',
      category: 'read',
      input: z.object({
        prefix: z
          .union([z.literal(''), storableText(PATH_MAX_BYTES)])
          .overwrite(normalizePrefix)
          .default('')
          .describe('start of the paths; "reports/" is a folder'),
      }),
      output: z.object({
        files: z.array(fileInfo),
        truncated: z.boolean().describe('whether there are more; a longer prefix shows them'),
      }),
      paths: ({ prefix }) => [prefix],
      async run({ input, state }) {
        const { files, truncated } = await state().files.list(input.prefix);
        return { files: files.map(present), truncated };
      },
    }),

    get_download_url: action({
      displayName: 'Get download URL',
      description: 'A link with which anyone can download the file until the link expires',
      category: 'read',
      input: z.object({ path, expiresInSeconds: z.number().int().min(60).max(3600).default(3600).describe('how long the link works') }),
      output: z.object({ path: z.string(), url: z.string(), expiresAt: z.string() }),
      paths: ({ path }) => [path],
      async run({ input, state }) {
        const link = await state().files.downloadUrl(input.path, input.expiresInSeconds);
        if (!link) throw noSuchFile(input.path);
        return { path: input.path, url: link.url, expiresAt: link.expiresAt.toISOString() };
      },
    }),
  },
});

function normalizePrefix(prefix: string): string {
  const normal = normalizePath(prefix);
  return normal !== '' && prefix.endsWith('/') ? `${normal}/` : normal;
}

function present({ path, contentType, sizeBytes, updatedAt }: StoredFileInfo) {
  return { path, contentType, sizeBytes, updatedAt: updatedAt.toISOString() };
}

function toText(content: Buffer, into: 'utf8' | 'base64'): string {
  if (into === 'base64') return content.toString('base64');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    throw new ActionError('The file is not UTF-8 text. Read it with outputEncoding base64.', undefined, { cause });
  }
}

type NewContent = Pick<z.output<typeof newFile>, 'content' | 'contentEncoding'>;

function contentProblems({ content, contentEncoding }: NewContent): Problem[] {
  if (contentEncoding === 'base64' && !isEncoded(content.replace(/\s+/g, ''), 'base64'))
    return [{ path: ['content'], message: 'is not valid base64' }];
  if (contentOf({ content, contentEncoding }).length <= STORED_FILE_MAX_BYTES) return [];
  return [{ path: ['content'], message: `is too large: at most ${STORED_FILE_MAX_BYTES} bytes` }];
}

function contentOf({ content, contentEncoding }: NewContent): Buffer {
  return Buffer.from(content, contentEncoding);
}

function noSuchFile(path: string): ActionError {
  return new ActionError(`There is no file at ${JSON.stringify(path)}.`, { reason: 'not_found' });
}
