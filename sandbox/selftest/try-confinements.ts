import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Confinement } from '../host/confinement.ts';
import { launchRunner } from '../host/launch-runner.ts';
import type { Sandbox } from '../host/open-sandbox.ts';
import { dataLimitMb } from '../host/runner-memory.ts';
import { innermostProcess } from '../host/runner-process.ts';
import type { RunnerProgram } from '../host/runner-program.ts';
import { LAUNCHER_IN_ROOT, launcherFile } from '../launcher/launcher.ts';
import { openPrograms } from '../program/open-programs.ts';
import { CALLER_PROBES, probeCallerCode } from './probe-caller-code.ts';
import { probeReuse } from './probe-reuse.ts';
import { CALLER_ROWS, PROGRAMS_FILTER_ROW, PROGRAMS_ROW, REUSE_ROWS, ROWS, type RowText } from './rows.ts';
import { PROBES, type ProbeTarget, runProbe } from './run-probe.ts';
import { attemptsFor } from './system-call-attempts.ts';

export interface Row extends RowText {
  holds: boolean;
  detail: string;
}

interface Tried {
  confinement: Confinement;
  program: RunnerProgram;
  memoryMb: number;
}

/** Tests the confinement of runners and programs, one row per test. */
export async function tryConfinements(sandbox: Sandbox, tried: Tried): Promise<Row[]> {
  const rows = await tryNative(tried);
  for (const name of CALLER_PROBES) {
    const { got, detail } = await probeCallerCode(sandbox, name, tried.memoryMb);
    rows.push({ ...CALLER_ROWS[name]!, holds: !got, detail });
  }
  for (const setting of ['principal', 'never'] as const) {
    const { got, detail } = await probeReuse(setting, tried.memoryMb);
    rows.push({ ...REUSE_ROWS[setting], holds: !got, detail });
  }
  return [...rows, ...(await tryPrograms())];
}

/** Tests what native code can do in a runner, one row per probe. */
export async function tryNative({ confinement, program, memoryMb }: Tried): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-selftest-'));
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sibling = await launchRunner({ program, confinement, memoryMb });
  try {
    const ownFile = join(folder, 'secret');
    await writeFile(ownFile, 'secret', { mode: 0o600 });
    const target: ProbeTarget = {
      port: (server.address() as AddressInfo).port,
      parentPid: process.pid,
      siblingPid: await innermostProcess(sibling.pid),
      ownFile,
      setpriv: '/usr/bin/setpriv',
      launcher: (confinement.hasOwnRoot ? LAUNCHER_IN_ROOT : await launcherFile()) ?? '',
      attempts: attemptsFor(process.arch),
      memoryMaxMb: dataLimitMb(memoryMb),
    };
    const rows: Row[] = [];
    for (const name of PROBES) {
      const { got, detail } = await runProbe(name, target, { confinement, addonPath: program.addonPath, memoryMb });
      rows.push({ ...ROWS[name], holds: !got, detail });
    }
    return rows;
  } finally {
    sibling.kill();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const TRY_SYSTEM_CALLS = Object.values(attemptsFor(process.arch))
  .flatMap((calls) => Object.entries(calls))
  .map(([name, call]) => `${LAUNCHER_IN_ROOT} -c ${call} && echo '${name}'`);

async function tryPrograms(): Promise<Row[]> {
  const problems: string[] = [];
  const note = (fields: object) => void problems.push(String((fields as { stderr?: string }).stderr ?? '').trim());
  const programs = openPrograms({ logger: { warn: note, error: note }, allowsBare: false, hidden: [] });
  const cage = await programs.cage();
  const isFiltered = await programs.isFiltered();
  const code = [...TRY_SYSTEM_CALLS, 'true'].join('\n');
  const result = await programs.run(
    { language: 'shell', code, files: [], keepsFiles: false, timeMs: 10_000 },
    new AbortController().signal,
  );
  await programs.close();
  const got = result.kind === 'exited' ? result.stdout.trim() : result.message;
  return [
    { ...PROGRAMS_ROW, holds: cage === 'namespaces', detail: cage ?? problems.join('; ') },
    { ...PROGRAMS_FILTER_ROW, holds: isFiltered && got === '', detail: got || (isFiltered ? 'refused' : 'no filter') },
  ];
}
