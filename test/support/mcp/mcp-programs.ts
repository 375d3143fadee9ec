import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, startOnFreePorts } from '../../../standalone/free-port.ts';

/** An MCP server from a public package, running in its own process. */
export interface McpProgram {
  url: string;
  close(): Promise<void>;
}

const PACKAGES = join(import.meta.dirname, '../../../node_modules/@modelcontextprotocol');

/** Starts a server that uses the whole protocol, with sessions. */
export function everythingServer(): Promise<McpProgram> {
  return startProgram(['server-everything/dist/index.js', 'streamableHttp']);
}

/** Starts a server without sessions. It has one tool, and answers with structured content. */
export function budgetServer(): Promise<McpProgram> {
  return startProgram(['server-budget-allocator/dist/index.js']);
}

function startProgram([file, ...options]: [string, ...string[]]): Promise<McpProgram> {
  return startOnFreePorts(
    async () => [await freePort(0)],
    async (port) => {
      const child = spawn(process.execPath, [join(PACKAGES, file), ...options], {
        env: { PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      await listening(child);
      return { url: `http://127.0.0.1:${port}/mcp`, close: () => kill(child) };
    },
  );
}

async function listening(child: ChildProcess): Promise<void> {
  const said = Promise.withResolvers<void>();
  child.once('exit', (code) => said.reject(new Error(`the MCP server ended with ${code}`)));
  for (const stream of [child.stdout!, child.stderr!])
    createInterface(stream).on('line', (line) => line.includes('listening') && said.resolve());
  await said.promise;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
