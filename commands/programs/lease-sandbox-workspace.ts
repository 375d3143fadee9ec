import { randomUUID } from 'node:crypto';
import { SANDBOX_PROGRAM } from '../../domain/limits.ts';
import type { Db } from '../../infra/database.ts';
import { ActionError } from '../../integrations/definition.ts';
import type { ProgramFile } from '../../sandbox/program/program.ts';
import {
  deleteSandboxFiles,
  holdSandboxWorkspace as hold,
  listSandboxFiles,
  lockHeldSandboxWorkspace,
  putSandboxFile,
  releaseSandboxWorkspace,
  SANDBOX_RELEASED,
  type SandboxWorkspaceOwner,
  sandboxKey,
} from '../../store/sandbox-workspaces.ts';
import type { Gateway } from '../gateway.ts';

/** A lease of the workspace folder of a persistent sandbox, for one run. */
export interface WorkspaceLease {
  files: ProgramFile[];
  /**
   * Stores the files that the program left. Throws ACTION_FAILED if they exceed a limit or the
   * lease was lost.
   */
  save(tx: Parameters<typeof lockHeldSandboxWorkspace>[0], files: readonly ProgramFile[]): Promise<void>;
  release(): Promise<void>;
}

const LIMITS = SANDBOX_PROGRAM.files;
const PATH_MAX_BYTES = 1024;
const WAIT_MS = (SANDBOX_PROGRAM.graceSeconds / 2) * 1000;

/**
 * Leases the folder for a run. Waits up to half a minute for another run, then throws
 * ACTION_FAILED. The lease of a killed process expires a minute after `timeoutSeconds`.
 */
export async function leaseSandboxWorkspace(
  { db, notices }: Pick<Gateway, 'db' | 'notices'>,
  owner: SandboxWorkspaceOwner,
  timeoutSeconds: number,
): Promise<WorkspaceLease> {
  const holder = randomUUID();
  const tryHold = async () => (await hold(db, owner, holder, timeoutSeconds + SANDBOX_PROGRAM.graceSeconds)) || undefined;
  if (!(await tryHold()) && !(await notices.waitFor(SANDBOX_RELEASED, sandboxKey(owner), WAIT_MS, tryHold)))
    throw new ActionError('Another run is using this persistent sandbox. Try again when it has ended.', { code: 'CODE_SANDBOX_BUSY' });
  const release = () => releaseSandboxWorkspace(db, owner, holder);
  try {
    const files = await listSandboxFiles(db, owner);
    return { files, release, save: (tx, left) => save(tx, owner, holder, files, left) };
  } catch (error) {
    await release();
    throw error;
  }
}

async function save(
  tx: Parameters<typeof lockHeldSandboxWorkspace>[0],
  owner: SandboxWorkspaceOwner,
  holder: string,
  before: readonly ProgramFile[],
  after: readonly ProgramFile[],
): Promise<void> {
  assertWithin(after);
  if (!(await lockHeldSandboxWorkspace(tx, owner, holder)))
    throw new ActionError(
      'The persistent sandbox was deleted or given to another run before this run could save its files. Nothing was saved.',
    );
  const known = new Map(before.map((file) => [file.path, file]));
  await putChanged(tx, owner, known, after);
  const left = new Set(after.map(({ path }) => path));
  await deleteSandboxFiles(
    tx,
    owner,
    [...known.keys()].filter((path) => !left.has(path)),
  );
}

async function putChanged(db: Db, owner: SandboxWorkspaceOwner, known: Map<string, ProgramFile>, after: readonly ProgramFile[]) {
  for (const file of after) {
    const was = known.get(file.path);
    if (!was?.content.equals(file.content) || was.isExecutable !== file.isExecutable) await putSandboxFile(db, owner, file);
  }
}

function assertWithin(files: readonly ProgramFile[]): void {
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const largest = Math.max(0, ...files.map(({ content }) => content.length));
  if (files.length > LIMITS.max || bytes > LIMITS.maxBytes || largest > LIMITS.fileMaxBytes)
    throw new ActionError(
      `The persistent sandbox keeps at most ${LIMITS.max} files and ${megabytes(LIMITS.maxBytes)} MB, ${megabytes(LIMITS.fileMaxBytes)} MB a file; the program left more. Nothing was saved.`,
      { code: 'CODE_FILES_TOO_LARGE' },
    );
  const long = files.find(({ path }) => Buffer.byteLength(path) > PATH_MAX_BYTES);
  if (long) throw new ActionError(`The program left a path of more than ${PATH_MAX_BYTES} bytes. Nothing was saved.`);
}

function megabytes(bytes: number): number {
  return bytes / 1024 / 1024;
}
