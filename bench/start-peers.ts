import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { foreignEnvironment } from '../infra/config.ts';
import { freePort } from '../standalone/free-port.ts';

/** The versions that were compared last. */
const PACKAGES = ['executor@1.5.9', 'mcp-hub@4.2.1'];

/** Other products, connected to the same MCP server. */
export interface Peers {
  /** Runs code in `executor`, and approves every pause. Returns the number of pauses. */
  execute(code: string): Promise<number>;
  hub: { origin: string; path: string; body(dateString: string): object };
  stop(): Promise<void>;
}

/** Calls the tool `echo` in code for `executor`. */
export const ECHO_OF_EXECUTOR = 'tools.echo.org.main.echo';

/**
 * Installs the peers from npm into a temporary folder. Rejects if one cannot be installed or
 * started.
 */
export async function startPeers(upstream: string): Promise<Peers> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-peers-'));
  const started: ChildProcess[] = [];
  const stop = async () => {
    for (const child of started) {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill();
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const start = (program: string, args: string[]) => {
    const env = { ...foreignEnvironment(), HOME: join(folder, 'home') };
    started.push(spawn(process.execPath, [join(folder, 'node_modules/.bin', program), ...args], { stdio: 'ignore', env }));
  };
  try {
    for (const name of ['home', 'scope']) mkdirSync(join(folder, name));
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...PACKAGES], { stdio: 'pipe' });
    const [executorPort, hubPort] = [await freePort(0), await freePort(0)];
    start('executor', ['web', '--port', String(executorPort), '--scope', join(folder, 'scope')]);
    writeFileSync(join(folder, 'hub.json'), JSON.stringify({ mcpServers: { echo: { url: upstream } } }));
    start('mcp-hub', ['--port', String(hubPort), '--config', join(folder, 'hub.json')]);
    const execute = await openExecutor(`http://127.0.0.1:${executorPort}/mcp`, upstream);
    const hub = {
      origin: `http://127.0.0.1:${hubPort}`,
      path: '/api/servers/tools',
      body: (dateString: string) => ({ server_name: 'echo', tool: 'echo', arguments: { dateString } }),
    };
    const isUp = async () => {
      const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(hub.body('up')) };
      return (await fetch(hub.origin + hub.path, options)).ok;
    };
    await untilUp(isUp);
    return { execute, hub, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openExecutor(url: string, upstream: string): Promise<Peers['execute']> {
  let session: string | null = null;
  const request = async (method: string, params: object, id?: number) => {
    const headers = {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...(session && { 'mcp-session-id': session }),
    };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) });
    session ??= answer.headers.get('mcp-session-id');
    const text = await answer.text();
    const data = text.split('\n').find((line) => line.startsWith('data:'));
    return data ? JSON.parse(data.slice('data:'.length)).result : JSON.parse(text || '{}').result;
  };
  const open = () =>
    request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }, 0);
  await untilUp(async () => (await open()) !== undefined);
  await request('notifications/initialized', {});

  let count = 0;
  const call = async (name: string, args: object) =>
    (await request('tools/call', { name, arguments: args }, ++count)).structuredContent as {
      status: string;
      executionId?: string;
      result?: { ok?: boolean };
    };
  const execute = async (code: string) => {
    let pauses = 0;
    let state = await call('execute', { code });
    for (; state.status === 'waiting_for_interaction'; pauses += 1)
      state = await call('resume', { executionId: state.executionId, action: 'accept' });
    if (state.status !== 'completed' || state.result?.ok === false) throw new Error(`executor: ${JSON.stringify(state).slice(0, 300)}`);
    return pauses;
  };
  const server = { name: 'echo', slug: 'echo', transport: 'remote', endpoint: upstream, auth: { kind: 'none' } };
  await execute(`return await tools.executor.mcp.addServer(${JSON.stringify(server)})`);
  // `executor` needs a credential even for a server without authentication, but never reads it.
  const connection = { owner: 'org', name: 'main', integration: 'echo', template: 'none', from: { provider: 'file', id: 'unused' } };
  await execute(`return await tools.executor.coreTools.connections.create(${JSON.stringify(connection)})`);
  return execute;
}

const START_MS = 60_000;

async function untilUp(isUp: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + START_MS; ; await delay(200)) {
    if (await isUp().catch(() => false)) return;
    if (Date.now() > end) throw new Error('a peer did not start within a minute');
  }
}
