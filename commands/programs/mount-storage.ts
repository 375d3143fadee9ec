import { isUtf8 } from 'node:buffer';
import pLimit from 'p-limit';
import { GatewayError } from '../../domain/errors.ts';
import { SANDBOX_PROGRAM } from '../../domain/limits.ts';
import { normalizePath } from '../../domain/policies/normal-path.ts';
import type { AdvancedCodeSettings, Persistence } from '../../domain/workspace-integration.ts';
import type { Db } from '../../infra/database.ts';
import { ActionError, type FileState } from '../../integrations/definition.ts';
import type { ProgramFile } from '../../sandbox/program/program.ts';
import { openState } from '../agent-state/open-state.ts';
import type { StateHost } from '../agent-state/state-host.ts';

/** Files of the storage integration, mounted at `storage/` in a program's workspace folder. */
export interface MountedStorage {
  files: ProgramFile[];
  /**
   * Replaces the stored files. If `files` cannot be stored, throws ACTION_FAILED; the caller must
   * then roll back the transaction.
   */
  writeBack(tx: Db, files: readonly ProgramFile[]): Promise<void>;
}

interface StorageOfCall {
  orgId: string;
  workspaceId: string;
  endUserId: string | null;
}

/** The mount folder exists even if no files are stored. */
export const STORAGE_FOLDER = 'storage';
const FOLDER = `${STORAGE_FOLDER}/`;
const LIMITS = SANDBOX_PROGRAM.files;
const NAME_MAX_BYTES = 255;
const MAX_CONCURRENT_READS = 4;

/**
 * Mounts the storage that the settings name; undefined if they name none. Throws END_USER_REQUIRED
 * and ACTION_FAILED.
 */
export async function mountStorage(
  host: StateHost,
  call: StorageOfCall,
  settings: AdvancedCodeSettings,
): Promise<MountedStorage | undefined> {
  const { storageMountScope = 'none' } = settings;
  if (storageMountScope === 'none') return undefined;
  const persistence = persistenceOf(storageMountScope, settings, call);
  const stateOn = (db: Db) => openState({ ...host, db }, { ...call, persistence }).files;
  const before = await readAll(stateOn(host.db));
  return {
    files: [...before.values()].map((file) => ({ ...file, path: FOLDER + file.path, isExecutable: false })),
    async writeBack(tx, files) {
      const after = new Map(files.map((file) => [file.path.slice(FOLDER.length), file.content]));
      for (const path of after.keys()) assertStorable(path);
      assertWithin(after.size, [...after.values()]);
      const state = stateOn(tx);
      for (const path of before.keys()) if (!after.has(path)) await state.delete(path);
      for (const [path, content] of after) {
        const was = before.get(path);
        if (!was?.content.equals(content)) await state.write(path, { content, contentType: was?.contentType ?? guessType(content) });
      }
    },
  };
}

/** True if a path in a workspace folder belongs to the mounted storage. */
export function isInStorage(path: string): boolean {
  return path === STORAGE_FOLDER || path.startsWith(FOLDER);
}

function persistenceOf(
  scope: Persistence['scope'],
  { storageExternalId }: AdvancedCodeSettings,
  { endUserId }: StorageOfCall,
): Persistence {
  if (scope === 'external' && !storageExternalId)
    throw new ActionError(
      'settings.advancedCode of the workspace integration mounts the storage scope external but has no storageExternalId. Set one.',
    );
  if (scope === 'end_user' && !endUserId)
    throw new GatewayError(
      'END_USER_REQUIRED',
      'This sandbox mounts the storage of one end user. Send endUserId, or set settings.advancedCode.storageMountScope of the workspace integration to workspace, external or none.',
    );
  return { scope, ...(storageExternalId ? { externalId: storageExternalId } : {}) };
}

type StoredContent = Pick<NonNullable<Awaited<ReturnType<FileState['read']>>>, 'path' | 'content' | 'contentType'>;

async function readAll(state: FileState): Promise<Map<string, StoredContent>> {
  const { files, truncated } = await state.list('');
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (truncated || files.length > LIMITS.max || bytes > LIMITS.maxBytes) throw tooLarge();
  assertTree(files.map(({ path }) => path));
  const limit = pLimit(MAX_CONCURRENT_READS);
  const read = await Promise.all(files.map(({ path }) => limit(() => state.read(path))));
  return new Map(read.filter((file) => file !== undefined).map((file) => [file.path, file]));
}

/**
 * In contrast to the storage, a file system limits the length of each name, and a file cannot also
 * be a folder.
 */
function assertTree(paths: readonly string[]): void {
  const files = new Set(paths);
  for (const path of paths) {
    const parts = path.split('/');
    if (parts.some((part) => Buffer.byteLength(part) > NAME_MAX_BYTES))
      throw new ActionError(`The storage cannot be mounted: a part of the path ${quote(path)} is longer than ${NAME_MAX_BYTES} bytes.`);
    const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    const clash = above.find((folder) => files.has(folder));
    if (clash !== undefined)
      throw new ActionError(
        `The storage cannot be mounted: ${quote(clash)} is a file and also the folder of ${quote(path)}. Rename one of them.`,
      );
  }
}

function assertStorable(path: string): void {
  if (normalizePath(path) !== path || /[\u0000-\u001f\u007f]/.test(path) || Buffer.byteLength(path) > 1024)
    throw new ActionError(`The program left ${quote(path)} in ./storage, a path that cannot be stored. Nothing was stored.`);
}

function assertWithin(count: number, contents: readonly Buffer[]): void {
  if (count > LIMITS.max || contents.reduce((sum, { length }) => sum + length, 0) > LIMITS.maxBytes) throw tooLarge();
}

function tooLarge(): ActionError {
  return new ActionError(
    `The mounted storage may hold at most ${LIMITS.max} files and ${LIMITS.maxBytes / 1024 / 1024} MB, before and after the run.`,
    { code: 'CODE_FILES_TOO_LARGE' },
  );
}

function guessType(content: Buffer): string {
  return isUtf8(content) && !content.includes(0) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

function quote(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
