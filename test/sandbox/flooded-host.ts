/** Prints the memory of this process, in MB, after each round of passes that flood their host. */
import { driveRunner } from '../../sandbox/host/drive-runner.ts';
import { launchRunner } from '../../sandbox/host/launch-runner.ts';
import { anEchoHost, aRequest, aSandbox } from './a-sandbox.ts';

const ROUNDS = 4;
const AT_ONCE = 4;
const MB = 1024 * 1024;
const BARE = {
  hasOwnRoot: false,
  hasNoNetwork: false,
  user: 'same',
  hasNoPrivileges: false,
  hasResourceLimits: false,
  hasCallFilter: false,
} as const;

const PROGRAMS: Record<string, string> = {
  logs: 'while (true) console.log("x".repeat(1000))',
  outputs: 'return "x".repeat(1_000_000)',
  calls: 'for (let i = 0; i < 8; i++) await Promise.all(Array.from({ length: 4 }, () => svc.echo.say({ text: "x".repeat(1_000_000) })))',
};

/** Sources of compromised runners. */
const TAKEN_OVER: Record<string, string> = {
  frames: `const chunk = Buffer.alloc(1024 * 1024, 'x'); const header = Buffer.alloc(4); header.writeUInt32BE(3 * 1024 * 1024);
           const more = () => { for (;;) { if (!process.stdout.write(Buffer.concat([header, chunk, chunk, chunk]))) break; } }; process.stdout.on('drain', more); more();`,
  errors: `const chunk = Buffer.alloc(64 * 1024, 'x'); const more = () => { while (process.stderr.write(chunk)); }; process.stderr.on('drain', more); more();`,
};

const kind = process.argv[2]!;
const sandbox = aSandbox();
for (let round = 0; round < ROUNDS; round += 1) {
  await Promise.all(Array.from({ length: AT_ONCE }, () => flood()));
  globalThis.gc!();
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc!();
  process.stdout.write(`${Math.round(process.memoryUsage().rss / MB)}\n`);
}
await sandbox.close();

async function flood(): Promise<void> {
  const limits = { timeMs: 700, memoryMb: 128 };
  if (PROGRAMS[kind]) return void (await sandbox.runPass(aRequest(PROGRAMS[kind], { limits }), anEchoHost()));
  const source = `
    let heard = 0;
    const ready = Buffer.from('{"kind":"ready"}'); const header = Buffer.alloc(4); header.writeUInt32BE(ready.length);
    process.stdin.on('data', () => { heard += 1; if (heard === 1) process.stdout.write(Buffer.concat([header, ready])); else if (heard === 2) { ${TAKEN_OVER[kind]} } }).on('end', () => process.exit());`;
  const runner = await launchRunner({ program: { source, bootstrap: '', addonPath: '-' }, confinement: BARE, memoryMb: 128 });
  await driveRunner(runner, aRequest('return 1', { limits }), anEchoHost());
  await runner.exited;
}
