import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOfRunner } from '../../domain/pass-turns.ts';
import type { Confinement } from '../confinement.ts';
import { launchRunner } from '../launch-runner.ts';
import { openPrograms } from '../open-programs.ts';
import type { Sandbox } from '../open-sandbox.ts';
import { innermostProcess } from '../runner-process.ts';
import type { RunnerProgram } from '../runner-program.ts';
import { CALLER_PROBES, probeCallerCode } from './probe-caller-code.ts';
import { CALLER_ROWS, PROGRAMS_ROW, ROWS, type RowText } from './rows.ts';
import { PROBES, type ProbeTarget, runProbe } from './run-probe.ts';

export interface Row extends RowText {
  holds: boolean;
  detail: string;
}

interface Tried {
  confinement: Confinement;
  program: RunnerProgram;
  memoryMb: number;
}

/** Tries everything that a confinement is to keep a runner from: from the native side, from callers' code, and Python and shell programs. */
export async function tryConfinements(sandbox: Sandbox, tried: Tried): Promise<Row[]> {
  const rows = await tryNative(tried);
  for (const name of CALLER_PROBES) {
    const { got, detail } = await probeCallerCode(sandbox, name, tried.memoryMb);
    rows.push({ ...CALLER_ROWS[name]!, holds: !got, detail });
  }
  return [...rows, await tryPrograms()];
}

/** What native code in a runner under this confinement gets. Nothing stays behind. */
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
      memoryMaxMb: memoryOfRunner(memoryMb),
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

async function tryPrograms(): Promise<Row> {
  const said: string[] = [];
  const note = (fields: object) => void said.push(String((fields as { said?: string }).said ?? '').trim());
  const programs = openPrograms({ logger: { warn: note, error: note }, allowsBare: false, hidden: [] });
  const cage = await programs.cage();
  await programs.close();
  return { ...PROGRAMS_ROW, holds: cage === 'namespaces', detail: cage ?? said.join('; ') };
}
