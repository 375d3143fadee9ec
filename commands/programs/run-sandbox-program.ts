import type { Knex } from 'knex';
import type { ProgramRun } from '../../integrations/action-sandbox.ts';
import { ActionError } from '../../integrations/definition.ts';
import type { ProgramFile, ProgramLanguage, ProgramOutput, ProgramResult } from '../../sandbox/program/program.ts';
import { leaseSandboxWorkspace, type WorkspaceLease } from './lease-sandbox-workspace.ts';
import { isInStorage, type MountedStorage, mountStorage, STORAGE_FOLDER } from './mount-storage.ts';
import type { SandboxCall, SandboxHost } from './sandbox-call.ts';

interface Program {
  language: ProgramLanguage;
  code: string;
  timeoutSeconds: number;
}

/**
 * Runs a program in its workspace folder. A persistent folder is saved after every exit code, and
 * mounted storage after exit code 0. Throws ACTION_FAILED and END_USER_REQUIRED.
 */
export async function runSandboxProgram(host: SandboxHost, call: SandboxCall, program: Program): Promise<ProgramRun> {
  const storage = await mountStorage(host, call, call.settings ?? {});
  const workspace = await leaseWorkspace(host, call, program.timeoutSeconds);
  try {
    return await runWith(host, call, program, { storage, workspace });
  } finally {
    await workspace?.release();
  }
}

interface Folders {
  storage: MountedStorage | undefined;
  workspace: WorkspaceLease | undefined;
}

async function runWith(host: SandboxHost, { orgId, signal }: SandboxCall, program: Program, folders: Folders): Promise<ProgramRun> {
  const { language, code, timeoutSeconds } = program;
  const { storage, workspace } = folders;
  const kept = (workspace?.files ?? []).filter(({ path }) => !storage || !isInStorage(path));
  const request = {
    language,
    code,
    files: [...kept, ...(storage?.files ?? [])],
    folders: storage ? [STORAGE_FOLDER] : [],
    keepsFiles: storage !== undefined || workspace !== undefined,
    timeMs: timeoutSeconds * 1000,
  };
  const programs = await host.sandboxes.programs();
  const end = await host.schedulers.forCode(timeoutSeconds).run({ tenantId: orgId, signal }, () => programs.run(request, signal));
  if (end.kind === 'failed') throw stopped(end.code, end.message, end);
  try {
    if (request.keepsFiles) await host.db.transaction((tx) => save(tx, folders, end));
  } catch (error) {
    throw error instanceof ActionError ? withOutput(error, end) : error;
  }
  const { exitCode, stdout, stderr, truncated, durationMs } = end;
  return { exitCode, stdout, stderr, truncated, durationMs, notKept: workspace ? end.notKept.slice(0, NAMED_MAX) : [] };
}

const NAMED_MAX = 20;
/** Characters of each output stream in the details of a failure. */
const TAIL_LENGTH = 4000;

function leaseWorkspace(host: SandboxHost, call: SandboxCall, timeoutSeconds: number): Promise<WorkspaceLease> | undefined {
  const { settings, workspaceIntegrationId, orgId, workspaceId, endUserId } = call;
  if (settings?.sandboxPersistence !== 'persistent' || workspaceIntegrationId === null) return undefined;
  return leaseSandboxWorkspace(host, { orgId, workspaceId, workspaceIntegrationId, endUserId: endUserId ?? '' }, timeoutSeconds);
}

async function save(tx: Knex.Transaction, { storage, workspace }: Folders, end: Extract<ProgramResult, { kind: 'exited' }>): Promise<void> {
  const isStored = (path: string) => storage !== undefined && isInStorage(path);
  if (storage && end.exitCode === 0) {
    assertPlain(end.notKept.filter(isInStorage));
    await storage.writeBack(tx, end.files.filter(isFileOfStorage));
  }
  const hidden = (workspace?.files ?? []).filter(({ path }) => isStored(path));
  await workspace?.save(tx, [...hidden, ...end.files.filter(({ path }) => !isStored(path))]);
}

function isFileOfStorage({ path }: ProgramFile): boolean {
  return isInStorage(path) && path !== STORAGE_FOLDER;
}

function assertPlain(others: readonly string[]): void {
  if (others.length > 0)
    throw new ActionError(
      `The program left links or special files in ./storage, which stores only plain files: ${others.slice(0, NAMED_MAX).join(', ')}. Nothing was stored.`,
    );
}

function stopped(code: string, reason: string, output: ProgramOutput): ActionError {
  return withOutput(new ActionError(`${reason}.`, { code, reason }), output);
}

function withOutput(error: ActionError, { stdout, stderr }: ProgramOutput): ActionError {
  const tails = { stdout: stdout.slice(-TAIL_LENGTH), stderr: stderr.slice(-TAIL_LENGTH) };
  return new ActionError(error.message, { ...error.details, ...tails }, { cause: error });
}
