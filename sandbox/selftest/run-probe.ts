import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { confinedParts } from '../host/confined-parts.ts';
import { type Confinement, confine } from '../host/confinement.ts';
import { coverInherited } from '../host/cover-inherited.ts';
import { toJavaScript } from '../host/runner-program.ts';
import { cappedOutput } from '../program/capped-output.ts';
import type { Attempts } from './system-call-attempts.ts';

/** The attempts of `probe.ts`. */
export const PROBES = [
  'network',
  'system files',
  'service files',
  'environment',
  'writing files',
  'processes',
  'signals to the service',
  'other runners',
  'privileges',
  'keyring',
  'system calls',
  'forks',
  'memory',
  'processor time',
] as const;

export type ProbeName = (typeof PROBES)[number];

/** The targets of a probe. */
export interface ProbeTarget {
  port: number;
  parentPid: number;
  /** The process id as the service sees it. */
  siblingPid: number;
  /** A file that only the service's user may read. */
  ownFile: string;
  setpriv: string;
  /** Empty if this machine has none. */
  launcher: string;
  attempts: Attempts;
  memoryMaxMb: number;
}

export interface Finding {
  /** Whether the attempt succeeded, so that the confinement is missing. */
  got: boolean;
  detail: string;
}

interface Confined {
  confinement: Confinement;
  addonPath: string;
  memoryMb: number;
}

/** A probe prints this line first. If the probe is killed later, a confinement stopped it. */
const STARTED = 'started';

const DEADLINE_MS = 30_000;
const CPU_SECONDS = 1;

/** Runs one attempt of native code in a process that is confined like a runner. */
export async function runProbe(name: ProbeName, target: ProbeTarget, { confinement, addonPath, memoryMb }: Confined): Promise<Finding> {
  const node = [
    process.execPath,
    '--jitless',
    '--no-node-snapshot',
    '--no-warnings',
    '--input-type=module',
    '--eval',
    SOURCE,
    name,
    JSON.stringify(target),
  ];
  const parts = await confinedParts(confinement, addonPath);
  const limit = name === 'processor time' ? { cpuSeconds: CPU_SECONDS } : {};
  const { command, args, ...user } = confine(confinement, node, { memoryMb, ...parts, ...limit });
  const stdio = ['ignore' as const, 'pipe' as const, 'ignore' as const, ...coverInherited(3)];
  const child = spawn(command, args, { ...user, cwd: '/', env: {}, stdio, detached: true, timeout: DEADLINE_MS, killSignal: 'SIGKILL' });
  const output = cappedOutput(child.stdout!, 10_000);
  const [, signal] = await once(child, 'close');
  const [hasStarted, found] = output.text().split('\n');
  if (hasStarted !== STARTED) throw new Error(`the probe of ${name} did not start (${signal ?? 'exit'})`);
  return found ? (JSON.parse(found) as Finding) : { got: false, detail: `ended by ${signal ?? 'itself'}` };
}

const SOURCE = toJavaScript(join(import.meta.dirname, 'probe.ts'));
