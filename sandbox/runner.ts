/**
 * The program of a runner process, given to it as text: it can read no file. It holds one isolate, lets it run until it is
 * idle, passes on what it reported, and waits for the next message. It ends when the pipe closes.
 */
import { getPriority, setPriority } from 'node:os';
import type IsolatedVm from 'isolated-vm';

type Isolate = { box: IsolatedVm.Isolate; start: IsolatedVm.Reference; complete: IsolatedVm.Reference; report: IsolatedVm.Reference };
type Message = { kind: 'boot'; memoryMb: number; nearlyFullMb: number; modules: Record<string, string> } | { kind: 'start' | 'complete' };

// No local time zone leaves the machine, and a replay elsewhere answers the same.
process.env.TZ = 'UTC';

const NICENESS_OF_CODE = 5;

const ivm = loadIsolatedVm();
let received: Buffer[] = [];
let receivedBytes = 0;
let isolate: Isolate | undefined;
let nearlyFullKb = Number.POSITIVE_INFINITY;

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
  for (let text = nextFrame(); text !== undefined; text = nextFrame()) void act(text);
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
  const body = Buffer.from(text);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  process.stdout.write(Buffer.concat([header, body]));
}

async function act(text: string): Promise<void> {
  const message = JSON.parse(text) as Message;
  if (message.kind === 'boot') {
    isolate = openIsolate(message);
    learnMemory(message.nearlyFullMb);
    return send('{"kind":"ready"}');
  }
  if (!isolate) return die();
  if (message.kind === 'start') yieldToOthers();
  const watch = setInterval(tellIfNearlyFull, 25);
  try {
    // Errors that nothing in the caller's code waits for surface here; only the isolate's death matters.
    await isolate[message.kind].apply(undefined, [text]).catch(failIfDisposed);
    for (let isMore = true; isMore; ) {
      const report = String(await isolate.report.apply(undefined, []));
      isMore = report.endsWith('],"more":true}');
      send(report);
    }
  } catch {
    failIfDisposed();
    die();
  } finally {
    clearInterval(watch);
  }
}

// The most that this process held; the system may count in what was there before it, and then it says nothing.
function learnMemory(limitMb: number): void {
  nearlyFullKb = process.resourceUsage().maxRSS < limitMb * 1024 ? limitMb * 1024 : Number.POSITIVE_INFINITY;
}

// Once. The isolate has a thread of its own: this one is free to look.
function tellIfNearlyFull(): void {
  if (process.resourceUsage().maxRSS < nearlyFullKb) return;
  nearlyFullKb = Number.POSITIVE_INFINITY;
  send('{"kind":"nearly-full"}');
}

// The threads that run the caller's code are started from now on, and start as this one is. A runner that only comes up, or others of the machine, go first.
function yieldToOthers(): void {
  setPriority(Math.max(getPriority(), NICENESS_OF_CODE));
}

// Asked of the isolate: what an error says may be the caller's words.
function failIfDisposed(): void {
  if (isolate?.box.isDisposed) fail('CODE_MEMORY', 'memory');
}

function fail(code: string, message: string): void {
  send(JSON.stringify({ kind: 'failed', code, message }));
}

// Not process.exit: that waits for an isolate that may be in an endless loop. The first process of a namespace cannot kill itself.
function die(): void {
  process.kill(process.pid, 'SIGKILL');
  process.abort();
}

function openIsolate({ memoryMb, modules }: Extract<Message, { kind: 'boot' }>): Isolate {
  const box = new ivm.Isolate({ memoryLimit: memoryMb, onCatastrophicError: () => fail('CODE_MEMORY', 'memory') });
  const context = box.createContextSync();
  const compiled = new Map<string, IsolatedVm.Module>();
  const resolve = (specifier: string): IsolatedVm.Module => {
    const name = specifier.slice(specifier.lastIndexOf('/') + 1);
    const module = compiled.get(name) ?? box.compileModuleSync(modules[name]!, { filename: `svc:${name}` });
    compiled.set(name, module);
    return module;
  };
  const bootstrap = resolve('bootstrap.ts');
  bootstrap.instantiateSync(context, resolve);
  bootstrap.evaluateSync();
  const member = (name: string) => bootstrap.namespace.getSync(name, { reference: true }) as IsolatedVm.Reference;
  member('open').applySync(undefined, [
    new ivm.Callback(send, { ignored: true }),
    new ivm.Callback(fail, { ignored: true }),
    new ivm.Callback(answerUrl, { sync: true }),
  ]);
  return { box, start: member('start'), complete: member('complete'), report: member('report') };
}

/** The runner's own URL parser, for an isolate that has none. Never throws. */
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
