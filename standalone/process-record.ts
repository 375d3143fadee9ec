import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Record of a process. `identity` distinguishes it from a later process with the same id. */
export type ProcessRecord = { name: string; pid: number; identity: string; dataDir: string; stopSignal: NodeJS.Signals };

/** Writes DATA_DIR/run/<name>.json, which stays until `forgetProcess`. */
export function recordProcess(dataDir: string, name: string, pid: number, stopSignal: NodeJS.Signals): void {
  const record: ProcessRecord = { name, pid, identity: identify(pid) ?? '', dataDir: realpathSync(dataDir), stopSignal };
  mkdirSync(join(dataDir, 'run'), { recursive: true });
  writeFileSync(fileOf(dataDir, name), JSON.stringify(record));
}

/** Removes the record of a process that has ended. */
export function forgetProcess(dataDir: string, name: string): void {
  rmSync(fileOf(dataDir, name), { force: true });
}

/**
 * The recorded process of this name. Undefined if the process has ended, even if its id is in use
 * again. Always undefined on Windows.
 */
export function findRecordedProcess(dataDir: string, name: string): ProcessRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(fileOf(dataDir, name), 'utf8')) as ProcessRecord;
    return record.dataDir === realpathSync(dataDir) && isSame(record) ? record : undefined;
  } catch {
    return undefined; // the record is missing or half-written
  }
}

/**
 * Stops every recorded process except the supervisor. Returns their names. Kills those that still
 * run after `graceSeconds`.
 */
export async function stopRecordedProcesses(dataDir: string, graceSeconds = 8): Promise<string[]> {
  const left = listRecords(dataDir).flatMap((name) => (name === 'supervisor' ? [] : (findRecordedProcess(dataDir, name) ?? [])));
  await Promise.all(left.map((record) => stopRecorded(record, graceSeconds)));
  for (const name of listRecords(dataDir)) if (name !== 'supervisor') forgetProcess(dataDir, name);
  return left.map((record) => record.name);
}

/** The command line of a process. Undefined if it has ended or is a zombie. */
export function commandOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
    return askPs(pid, 'command=');
  } catch {
    return undefined;
  }
}

async function stopRecorded(record: ProcessRecord, graceSeconds: number): Promise<void> {
  send(record.pid, record.stopSignal);
  for (const end = Date.now() + graceSeconds * 1000; isSame(record) && Date.now() < end; ) await delay(25);
  if (isSame(record)) send(record.pid, 'SIGKILL');
  while (isSame(record)) await delay(25);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // already ended
  }
}

function isSame(record: ProcessRecord): boolean {
  return record.identity !== '' && identify(record.pid) === record.identity;
}

/** Undefined if the process has ended or is a zombie, and on Windows. */
function identify(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return identifyOnLinux(pid);
    if (process.platform === 'win32') return undefined;
    return askPs(pid, 'lstart=');
  } catch {
    return undefined;
  }
}

function identifyOnLinux(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return state === 'Z' || state === 'X' ? undefined : `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${startTime}`;
}

function askPs(pid: number, field: string): string | undefined {
  const answer = execFileSync('ps', ['-o', field, '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return answer.trim() || undefined;
}

function listRecords(dataDir: string): string[] {
  try {
    return readdirSync(join(dataDir, 'run')).flatMap((file) => (file.endsWith('.json') ? file.slice(0, -5) : []));
  } catch {
    return [];
  }
}

function fileOf(dataDir: string, name: string): string {
  return join(dataDir, 'run', `${name}.json`);
}
