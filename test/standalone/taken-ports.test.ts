import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import pg from 'pg';
import { readConfig } from '../../infra/config.ts';
import { embedPostgres, embedTemporal } from '../../standalone/embedded-parts.ts';
import { freePort, startOnFreePorts } from '../../standalone/free-port.ts';
import type { Program } from '../../standalone/run-program.ts';
import { makeTestFolder } from '../support/test-bed.ts';

const holders: Server[] = [];
const programs: Program[] = [];
const closers: (() => Promise<void>)[] = [];
let dataDir: string;

beforeEach(() => {
  dataDir = makeTestFolder('gateway-ports-');
});
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  await Promise.all(programs.splice(0).map((program) => program.stop()));
  for (const holder of holders.splice(0)) holder.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function take(port: number): void {
  holders.push(createServer().listen(port));
}

/** Occupies the ports at the first message, when Postgres or Temporal has chosen its ports. */
function takingOnce(...ports: number[]) {
  const said: string[] = [];
  const say = (line: string) => {
    said.push(line);
    for (const port of ports.splice(0)) take(port);
  };
  return { said, say };
}

test('Postgres takes the next free port if its port is taken, and keeps the new port', async () => {
  const postgresPort = await freePort(0);
  const { said, say } = takingOnce(postgresPort);
  const part = embedPostgres({ databaseUrl: undefined, postgresPort }, dataDir, say);
  const first = await part.start!();
  programs.push(first);
  expect(first.port).toBeGreaterThan(postgresPort);
  expect(said.at(-1)).toBe(`Starting Postgres on 127.0.0.1:${first.port} (${postgresPort} is taken)`);
  expect(await answersAt(part.url())).toBe(true);

  await first.kill();
  for (const holder of holders.splice(0)) holder.close();
  const again = await part.start!();
  programs.push(again);
  expect(again.port).toBe(first.port);
  expect(await answersAt(part.url())).toBe(true);
});

test.each(['port', 'uiPort'] as const)('Temporal starts even if another program takes its %s', async (which) => {
  const config = readConfig();
  const port = await freePort(20_000);
  const temporal = { ...config.temporal, address: undefined, uiUrl: undefined, port, uiPort: await freePort(port + 1) };
  const { say } = takingOnce(temporal[which]);
  const part = await embedTemporal({ ...config, temporal }, dataDir, say);
  const server = await part.start!();
  programs.push(server);
  closers.push(part.close);
  const chosen = { port: server.port, uiPort: Number(new URL(part.uiUrl()!).port) };
  expect(chosen[which]).toBeGreaterThan(temporal[which]);
  expect(part.address()).toBe(`127.0.0.1:${server.port}`);
  expect((await fetch(part.uiUrl()!)).ok).toBe(true);
});

test('a start that fails although its ports are free is not repeated', async () => {
  let starts = 0;
  const start = () => {
    starts += 1;
    return Promise.reject(new Error('no luck'));
  };
  await expect(startOnFreePorts(async () => [await freePort(0)], start)).rejects.toThrow('no luck');
  expect(starts).toBe(1);
});

async function answersAt(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select 1 as one');
  await client.end();
  return rows[0].one === 1;
}
