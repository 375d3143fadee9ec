/**
 * The program of a runner process, given to it as text: it can read no file. It holds one isolate, lets it run until it is
 * idle, passes on what it reported, and waits for the next message. It ends when the pipe closes.
 */
import type IsolatedVm from 'isolated-vm';

type Isolate = { start: IsolatedVm.Reference; complete: IsolatedVm.Reference; report: IsolatedVm.Reference };
type Message = { kind: 'boot'; memoryMb: number; modules: Record<string, string> } | { kind: 'start' | 'complete' };

// No local time zone leaves the machine, and a replay elsewhere answers the same.
process.env.TZ = 'UTC';

const ivm = loadIsolatedVm();
let received: Buffer[] = [];
let receivedBytes = 0;
let isolate: Isolate | undefined;

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
    return send('{"kind":"ready"}');
  }
  if (!isolate) return die();
  try {
    // Errors that nothing in the caller's code waits for surface here; only the isolate's death matters.
    await isolate[message.kind].apply(undefined, [text]).catch(failIfDisposed);
    for (let isMore = true; isMore; ) {
      const report = String(await isolate.report.apply(undefined, []));
      isMore = report.endsWith('],"more":true}');
      send(report);
    }
  } catch (error) {
    failIfDisposed(error);
    die();
  }
}

function failIfDisposed(error: unknown): void {
  if (/dispose|memory/i.test(String((error as Error)?.message))) fail('CODE_MEMORY', 'memory');
}

function fail(code: string, message: string): void {
  send(JSON.stringify({ kind: 'failed', code, message }));
}

// Not process.exit: that waits for an isolate that may be in an endless loop.
function die(): void {
  process.kill(process.pid, 'SIGKILL');
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
  return { start: member('start'), complete: member('complete'), report: member('report') };
}

/** The runner's own URL parser, for an isolate that has none. Never throws. */
function answerUrl(question: string): string {
  try {
    const [verb, ...args] = JSON.parse(question) as [string, ...string[]];
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
