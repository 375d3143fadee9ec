import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { retry } from '../infra/concurrency/retry.ts';
import { foreignEnvironment } from '../infra/config.ts';
import { freePort, startOnFreePorts } from './free-port.ts';
import { endOrTimeout, type Program, runProgram } from './run-program.ts';
import { closedHttp } from './temporal-server.ts';
import type { UiFiles } from './temporal-ui.ts';

/** Files from an HTTP server, such as the container of the Temporal UI. */
export function remoteUiFiles(url: string): UiFiles {
  return { read: (path) => fetchFile(url, path), close: async () => {} };
}

const IDLE_MS = 3_000;

/**
 * The files inside the `temporal` program, which provides them only over HTTP. Fetched files are
 * kept in the data folder.
 */
export function embeddedUiFiles(command: string, dataDir: string): UiFiles {
  let folder: Promise<string> | undefined;
  let source: Promise<{ program: Program; url: string }> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  const stop = async () => {
    clearTimeout(idle);
    const stopping = source;
    source = undefined;
    await stopping?.then(({ program }) => program.kill()).catch(() => {});
  };
  const load = async (path: string): Promise<Buffer | undefined> => {
    if (isClosed) return undefined;
    clearTimeout(idle);
    const isFirst = source === undefined;
    source ??= startSource(command, dataDir);
    try {
      const { url } = await source;
      const keep = async (name: string) => keepFile(await folder!, name, await fetchFile(url, name));
      if (isFirst) void keepAll(keep).catch(() => {}); // missing files are fetched on demand
      return await keep(path);
    } catch (error) {
      await stop();
      throw error;
    } finally {
      clearTimeout(idle);
      idle = setTimeout(stop, IDLE_MS).unref();
    }
  };
  return {
    read: async (path) => {
      folder ??= folderOf(command, dataDir);
      const kept = await readFile(fileOf(await folder, path)).catch(() => undefined);
      return kept ?? load(path);
    },
    close: async () => {
      isClosed = true;
      await stop();
    },
  };
}

/** Each version of the program has its own folder. */
async function folderOf(command: string, dataDir: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, ['--version'], { env: foreignEnvironment() as NodeJS.ProcessEnv });
  const folder = join(dataDir, 'temporal', `ui-${createHash('sha256').update(stdout).digest('hex').slice(0, 16)}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function fileOf(folder: string, path: string): string {
  return join(folder, createHash('sha256').update(path).digest('hex'));
}

async function keepFile(folder: string, path: string, body: Buffer | undefined): Promise<Buffer | undefined> {
  if (!body) return undefined;
  const unfinished = join(folder, randomUUID());
  await writeFile(unfinished, body);
  await rename(unfinished, fileOf(folder, path));
  return body;
}

const NAMED = /["'`(]((?:\/|\.{1,2}\/)[\w./-]+\.(?:js|css|json|svg|png|ico|woff2?|ttf|webmanifest))["'`)]/g;

async function keepAll(keep: (path: string) => Promise<Buffer | undefined>): Promise<void> {
  const seen = new Set(['/', '/api/v1/settings', '/_app/version.json']);
  for (const path of seen) {
    const text = (await keep(path))?.toString() ?? '';
    for (const [, name] of text.matchAll(NAMED)) seen.add(new URL(name!, `http://ui${path}`).pathname);
  }
}

async function startSource(command: string, dataDir: string): Promise<{ program: Program; url: string }> {
  return startOnFreePorts(
    async (): Promise<[number, number]> => [await freePort(0), await freePort(0)],
    async (port, uiPort) => {
      const program = await runProgram({
        name: 'temporal-ui-files',
        command,
        args: [
          ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort), '--ui-disable-news-fetch'],
          ...['--log-level', 'error', '--color', 'never', '--dynamic-config-value', closedHttp()],
        ],
        env: foreignEnvironment(),
        cwd: join(dataDir, 'temporal'),
        dataDir,
        stopSeconds: 1,
      });
      const url = `http://127.0.0.1:${uiPort}`;
      const askForPage = async () => {
        if (!(await fetchFile(url, '/'))) throw new Error('the page is not there yet');
      };
      try {
        await retry({ until: endOrTimeout(program, 30_000), backoff: { firstMs: 50 } }, askForPage);
        return { program, url };
      } catch {
        await program.kill();
        throw new Error(`${program.lastWords()} Log: ${program.logFile}`);
      }
    },
  );
}

/** Undefined for a missing file, also if the server answers with its start page instead. */
async function fetchFile(url: string, path: string): Promise<Buffer | undefined> {
  const answer = await fetch(new URL(path, url), { signal: AbortSignal.timeout(10_000) });
  const body = Buffer.from(await answer.arrayBuffer());
  const isPage = answer.headers.get('content-type')?.startsWith('text/html') ?? false;
  return answer.ok && isPage === (path === '/') ? body : undefined;
}
