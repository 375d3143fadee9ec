import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cappedOutput } from '../capped-output.ts';
import { type Confinement, confine } from '../confinement.ts';
import { coverInherited } from '../cover-inherited.ts';
import { runnerFiles } from '../runner-files.ts';
import { toJavaScript } from '../runner-program.ts';

/** What `probe.ts` tries. */
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
  'forks',
  'memory',
  'processor time',
] as const;

export type ProbeName = (typeof PROBES)[number];

/** What a probe aims at. */
export interface ProbeTarget {
  port: number;
  parentPid: number;
  /** Of another runner's process, as this process sees it. */
  siblingPid: number;
  /** A file that only our own user may read. */
  ownFile: string;
  setpriv: string;
  memoryMaxMb: number;
}

export interface Finding {
  /** The probe got what it tried to get: nothing confines that. */
  got: boolean;
  detail: string;
}

interface Confined {
  confinement: Confinement;
  addonPath: string;
  memoryMb: number;
}

/** Its first line: what ends a probe afterwards is a confinement. */
const STARTED = 'started';

const DEADLINE_MS = 30_000;
const CPU_SECONDS = 1;
/** Apart from the runners that run beside it. */
let serial = 50;

/** Tries one thing from native code's side, in a process of its own that is confined as a runner is. */
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
  const isRoot = process.getuid?.() === 0;
  const files = confinement.hasOwnRoot ? await runnerFiles(addonPath) : undefined;
  const limit = name === 'processor time' ? { cpuSeconds: CPU_SECONDS } : {};
  const { command, args, ...user } = confine(confinement, node, { memoryMb, serial: serial++, isRoot, files, ...limit });
  const stdio = ['ignore' as const, 'pipe' as const, 'ignore' as const, ...coverInherited(3)];
  const child = spawn(command, args, { ...user, cwd: '/', env: {}, stdio, detached: true, timeout: DEADLINE_MS, killSignal: 'SIGKILL' });
  const output = cappedOutput(child.stdout!, 10_000);
  const [, signal] = await once(child, 'close');
  const [hasStarted, found] = output.text().split('\n');
  if (hasStarted !== STARTED) throw new Error(`the probe of ${name} did not start (${signal ?? 'exit'})`);
  return found ? (JSON.parse(found) as Finding) : { got: false, detail: `ended by ${signal ?? 'itself'}` };
}

const SOURCE = toJavaScript(join(import.meta.dirname, 'probe.ts'));
