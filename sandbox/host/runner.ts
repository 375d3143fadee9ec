/** The program of a runner process. A runner cannot read files, so it gets this program as text. */
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type IsolatedVm from 'isolated-vm';

type Isolate = { box: IsolatedVm.Isolate; start: IsolatedVm.Reference; complete: IsolatedVm.Reference; report: IsolatedVm.Reference };
type Growth = { nearlyFullMb: number; growthMaxMb: number };
type Boot = { kind: 'boot'; memoryMb: number; bootstrap: string } & Growth;
type Message = Boot | { kind: 'start' | 'complete' | 'renew' };

// A replay on another machine must give the same results.
process.env.TZ = 'UTC';

const NICENESS_OF_CODE = 5;
const LOOK_INTERVAL_MS = 25;
const FRAMES_MAX_BYTES = 8 * 1024 * 1024;

const ivm = loadIsolatedVm();
let received: Buffer[] = [];
let receivedBytes = 0;
let boot: Boot | undefined;
let isolate: Isolate | undefined;
let acting = Promise.resolve();
let measureKb = peakKb;
let nearlyFullKb = Number.POSITIVE_INFINITY;
let fullKb = Number.POSITIVE_INFINITY;
let isOver = false;
let collect: (() => void) | undefined;

process.stdin.on('data', receive).on('end', die).on('error', die);
process.stdout.on('error', die);

function loadIsolatedVm(): typeof IsolatedVm {
  const addon = { exports: {} as { ivm: typeof IsolatedVm } };
  process.dlopen(addon, process.argv[1]!);
  return addon.exports.ivm;
}

function receive(chunk: Buffer): void {
  received.push(chunk);
  receivedBytes += chunk.length;
  for (let text = nextFrame(); text !== undefined; text = nextFrame()) actInTurn(text);
}

function nextFrame(): string | undefined {
  if (receivedBytes < 4) return undefined;
  if (received.length > 1 && received[0]!.length < 4) received = [Buffer.concat(received)];
  const length = received[0]!.readUInt32BE(0);
  if (receivedBytes < 4 + length) return undefined;
  const all = received.length === 1 ? received[0]! : Buffer.concat(received);
  received = all.length > 4 + length ? [all.subarray(4 + length)] : [];
  receivedBytes = all.length - 4 - length;
  return all.toString('utf8', 4, 4 + length);
}

function send(text: string): void {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(Buffer.byteLength(text));
  process.stdout.cork();
  process.stdout.write(header);
  process.stdout.write(text);
  process.stdout.uncork();
}

// Acts on one message after another. A message can arrive while this process still waits for its
// pipe to drain.
function actInTurn(text: string): void {
  acting = acting.then(() => act(text));
}

async function act(text: string): Promise<void> {
  const message = JSON.parse(text) as Message;
  if (message.kind === 'boot') {
    boot = message;
    isolate = openIsolate(message);
    learnMemory(message);
    return send('{"kind":"ready"}');
  }
  if (!isolate) return die();
  if (message.kind === 'renew') return renew(isolate);
  if (message.kind === 'start') yieldToOthers();
  collectFrames();
  const watch = setInterval(lookAtMemory, LOOK_INTERVAL_MS);
  try {
    // Errors of the caller's code do not matter, only the death of the isolate.
    await isolate[message.kind].apply(undefined, [text]).catch(failIfDisposed);
    for (let isMore = true; isMore; ) {
      const report = String(await isolate.report.apply(undefined, []));
      // A measured peak includes memory that a built-in call allocated and released.
      lookAtMemory();
      if (isOver) return;
      isMore = report.endsWith('],"more":true}');
      send(report);
      collectFrames();
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    }
  } catch {
    failIfDisposed();
    die();
  } finally {
    clearInterval(watch);
  }
}

// Memory that an earlier pass allocated still counts: limits count from the start of the process.
function renew({ box }: Isolate): void {
  isolate = undefined;
  box.dispose();
  collectFrames();
  isolate = openIsolate(boot!);
  send('{"kind":"ready"}');
}

function learnMemory({ nearlyFullMb, growthMaxMb }: Growth): void {
  measureKb = isPeakOurs() ? peakKb : currentKb;
  const baseKb = measureKb();
  nearlyFullKb = baseKb + nearlyFullMb * 1024;
  fullKb = baseKb + growthMaxMb * 1024;
}

function peakKb(): number {
  return process.resourceUsage().maxRSS;
}

/** Throws on Linux without /proc. */
function currentKb(): number {
  return process.memoryUsage.rss() / 1024;
}

// Whether the peak is ours. It may include memory of the parent process from before our start.
function isPeakOurs(): boolean {
  try {
    return peakKb() - currentKb() < 16 * 1024;
  } catch {
    return true;
  }
}

// The isolate runs in another thread, so this thread can check during its run.
function lookAtMemory(): void {
  const heldKb = measureKb();
  if (heldKb >= nearlyFullKb) {
    nearlyFullKb = Number.POSITIVE_INFINITY;
    send('{"kind":"nearly-full"}');
  }
  if (heldKb < fullKb) return;
  fullKb = Number.POSITIVE_INFINITY;
  isOver = true;
  fail('CODE_MEMORY', 'memory');
}

// Frames count as the caller's memory. They lie outside the heap, and V8 collects them only after
// 64 MB.
function collectFrames(): void {
  if (getHeapStatistics().external_memory < FRAMES_MAX_BYTES) return;
  collect ??= collector();
  collect();
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return gc;
}

// Other processes and new runners go first. Threads that start later inherit the priority.
function yieldToOthers(): void {
  setPriority(Math.max(getPriority(), NICENESS_OF_CODE));
}

// Does not look at the error, because its text may come from the caller.
function failIfDisposed(): void {
  if (isolate?.box.isDisposed) fail('CODE_MEMORY', 'memory');
}

function fail(code: string, message: string): void {
  send(JSON.stringify({ kind: 'failed', code, message }));
}

// process.exit would wait for the isolate, which may loop forever. The first process of a namespace
// cannot kill itself, so abort follows.
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  process.abort();
}

function openIsolate({ memoryMb, bootstrap: code }: Boot): Isolate {
  const box = new ivm.Isolate({ memoryLimit: memoryMb, onCatastrophicError: () => fail('CODE_MEMORY', 'memory') });
  const context = box.createContextSync();
  const bootstrap = box.compileModuleSync(code, { filename: 'svc:bootstrap' });
  bootstrap.instantiateSync(context, die);
  bootstrap.evaluateSync();
  const member = (name: string) => bootstrap.namespace.getSync(name, { reference: true }) as IsolatedVm.Reference;
  // Messages of a replaced isolate are ignored.
  const isCurrent = () => isolate?.box === box;
  member('open').applySync(undefined, [
    new ivm.Callback((line: string) => isCurrent() && send(line), { ignored: true }),
    new ivm.Callback((code: string, message: string) => isCurrent() && fail(code, message), { ignored: true }),
    new ivm.Callback(answerUrl, { sync: true }),
  ]);
  return { box, start: member('start'), complete: member('complete'), report: member('report') };
}

/** Parses URLs for an isolate, which has no URL parser. Never throws. */
function answerUrl(question: string): string {
  try {
    const [verb, ...args] = JSON.parse(question) as [string, ...string[]];
    if (!Object.hasOwn(URL_ANSWERS, verb)) return 'null';
    return JSON.stringify(URL_ANSWERS[verb as keyof typeof URL_ANSWERS](...(args as [never, never, never])) ?? null);
  } catch {
    return 'null';
  }
}

const URL_ANSWERS = {
  parse: (text: string, base?: string) => urlParts(new URL(text, base)),
  set: (href: string, part: 'href' | 'search', value: string) => {
    const url = new URL(href);
    url[part] = value;
    return urlParts(url);
  },
  query: (text: string) => [...new URLSearchParams(text)],
  format: (pairs: [string, string][]) => new URLSearchParams(pairs).toString(),
};

function urlParts(url: URL) {
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = url;
  return { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash };
}
