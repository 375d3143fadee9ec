import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { foreignEnvironment, SetupError } from '../infra/config.ts';
import type { PostgresHome } from './postgres-home.ts';
import { commandOf } from './process-record.ts';

/** Returns the password of the cluster. The first call creates the cluster. Throws SetupError. */
export async function openCluster(home: PostgresHome): Promise<string> {
  const password = readPassword(home) ?? (await createCluster(home));
  disownDeadServer(home);
  return password;
}

/** The connection string of a database of the embedded Postgres. */
export function connectionString(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}

/** Contents of the server's pid file, which remains after the server is killed. */
export function readPidFile(cluster: string): { pid: number; port: number; isReady: boolean } | undefined {
  try {
    // Line 1: process, line 4: port, line 8: state.
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

function readPassword(home: PostgresHome): string | undefined {
  if (!existsSync(join(home.cluster, 'PG_VERSION'))) return undefined;
  try {
    return readFileSync(home.passwordFile, 'utf8').trim();
  } catch {
    throw new SetupError(
      `The password of the embedded Postgres, ${home.passwordFile}, is missing. Restore it from a backup, or remove ${home.folder} to begin with an empty database.`,
    );
  }
}

/** The temporary folder is renamed when the cluster is complete. */
async function createCluster(home: PostgresHome): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const unfinished = `${home.cluster}.new`;
  const handedOver = join(home.folder, 'initial-password');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(handedOver, password, { mode: 0o600 });
  if (home.user) for (const path of [unfinished, handedOver]) chownSync(path, home.user.uid, home.user.gid);
  const args = [
    '-D',
    unfinished,
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale=C',
    '-A',
    'scram-sha-256',
    `--pwfile=${handedOver}`,
    '--no-instructions',
  ];
  try {
    const env = foreignEnvironment() as NodeJS.ProcessEnv;
    await promisify(execFile)(join(home.programs, 'bin', 'initdb'), args, { ...home.user, cwd: unfinished, env });
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(error);
    throw new SetupError(
      `The embedded Postgres could not make its cluster in ${home.folder}: ${reason}. Set DATABASE_URL to use a Postgres of your own.`,
    );
  } finally {
    rmSync(handedOver, { force: true });
  }
  writeFileSync(home.passwordFile, password, { mode: 0o600 });
  renameSync(unfinished, home.cluster);
  return password;
}

/**
 * Replaces the process id in the pid file of a dead server. Postgres refuses to start while any
 * process, such as a zombie, has this id. The file itself must stay: Postgres uses it to detect
 * sessions of a killed server that still write.
 */
function disownDeadServer(home: PostgresHome): void {
  const file = join(home.cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [pid, ...rest] = readFileSync(file, 'utf8').split('\n');
  if (commandOf(Number(pid))?.includes('postgres')) return;
  writeFileSync(file, [NO_PROCESS, ...rest].join('\n'));
}

const NO_PROCESS = 2 ** 31 - 1;
