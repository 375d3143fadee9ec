import { isDeepStrictEqual } from 'node:util';
import { addIntegration, addPolicy, anOrg, aServer, type Org, type TestServer } from '../api/mcp/mcp-bed.ts';
import { tracesIn } from '../sandbox/hostile/run-contained.ts';
import { inParallel } from '../support/in-parallel.ts';

let org: Org;
let server: TestServer;
beforeAll(async () => {
  org = await anOrg();
  await addIntegration(org, 'hash-encode');
  await addIntegration(org, 'http');
  await addIntegration(org, 'kv-store', { settings: { persistence: { scope: 'workspace' } } });
  await addPolicy(org, { integrationNames: ['kv-store'], actionNames: ['delete'] });
  server = await aServer(org, 'CODE');
});

interface Ending {
  status: 'executed' | 'failed';
  output?: unknown;
  code?: string;
}

const encode = (text: string) => `svc.hash_encode.encode({ text: ${text}, encoding: 'base64' })`;
const returned = (output: unknown): Ending => ({ status: 'executed', output });
const failed = (code: string): Ending => ({ status: 'failed', code });
const deepObject = `let a = {}; for (let i = 0; i < 300; i++) a = { a };`;

/** Programs for the whole service. `test/sandbox/hostile` has programs for the sandbox alone. */
const PROGRAMS: [what: string, code: string, ending: Ending][] = [
  ['memory without end', 'const all = []; while (true) all.push(new Uint8Array(1e7).fill(1))', failed('CODE_MEMORY')],
  ['a doubling string', 'let s = "x"; while (true) s += s', failed('CODE_MEMORY')],
  ['more memory in one built-in call', "return JSON.parse('[' + '1,'.repeat(3e7) + '1]').length", failed('CODE_MEMORY')],
  ['a text above the memory limit', 'return "€".repeat(1e8).charCodeAt(5e7)', failed('CODE_MEMORY')],
  ['an output above the size limit', 'return "x".repeat(2e6)', failed('CODE_OUTPUT_TOO_LARGE')],
  ['an output nested too deeply', `${deepObject} return a`, failed('CODE_OUTPUT_TOO_LARGE')],
  ['an input nested too deeply', `${deepObject} return svc.hash_encode.hash(a)`, failed('CODE_INPUT_TOO_LARGE')],
  ['calls without end', `while (true) ${encode('"x"')}`, failed('CODE_CALL_LIMIT')],
  ['timers without end', 'while (true) setTimeout(() => {}, 1)', failed('CODE_TIMER_LIMIT')],
  ['a promise that never settles', 'await new Promise(() => {})', failed('CODE_STALLED')],
  ['NUL and lone surrogates in an output', 'return { "\\u0000k\\ud800": "a\\u0000b\\udfff" }', { status: 'executed' }],
  [
    'NUL and lone surrogates in a thrown error',
    'throw Object.assign(new Error("a\\u0000b\\ud800"), { name: "\\u0000" })',
    failed('CODE_ERROR'),
  ],
  ['NUL and lone surrogates in a log', 'console.log("a\\u0000b\\ud800", { "\\u0000": 1 }); return 1', returned(1)],
  ['a lone surrogate in an input', `return ${encode('"a\\ud800"')}.catch((e) => e.code)`, returned('VALIDATION_ERROR')],
  [
    'a lone surrogate in a key of an input',
    'return svc.hash_encode.hash({ "a\\udfff": 1 }).catch((e) => e.code)',
    returned('VALIDATION_ERROR'),
  ],
  ['text that looks like a lone surrogate', `return (await ${encode('"\\\\ud800 \\ud83d\\ude00"')}).encoded`, returned('XHVkODAwIPCfmIA=')],
  ['NUL in an input', `return (await ${encode('"a\\u0000b"')}).encoded`, returned('YQBi')],
  [
    'NUL in stored values',
    'const at = async (f) => { try { return typeof (await f()) } catch (e) { return e.code } }; return Promise.all([at(() => svc.kv_store.put({ key: "k\\u0000", value: 1 })), at(() => svc.kv_store.put({ key: "z", value: { "a\\u0000": "b\\u0000" } }))])',
    { status: 'executed' },
  ],
  [
    'keys named __proto__ in an input',
    `return await svc.http.send_request(JSON.parse('{"__proto__":{"method":"GET","url":"http://127.0.0.1:1/"}}')).catch((e) => e.code)`,
    returned('VALIDATION_ERROR'),
  ],
  [
    'keys named __proto__ and constructor in a stored value',
    `await svc.kv_store.put({ key: "p", value: JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}') }); return [({}).x === undefined, (await svc.kv_store.get({ key: "p" })).x === undefined]`,
    returned([true, true]),
  ],
  [
    'a number that overflows in an input',
    `return await ${encode('{ toJSON: () => 1e999 }')}.catch((e) => e.code)`,
    returned('VALIDATION_ERROR'),
  ],
  [
    'requests for hosts, files and the environment',
    'const at = (f) => { try { return String(f()) } catch (e) { return e.stack } }; return [() => process.env, () => require("fs"), () => new Error("x").stack, () => svc.nope, () => eval("(")].map(at)',
    { status: 'executed' },
  ],
  ['ten thousand names', `const ${Array.from({ length: 10_000 }, (_, n) => `a${n}`).join('=0,')}=0; return a1`, returned(0)],
  [
    'constants that double during analysis',
    `const a0 = "x".repeat(1000); ${Array.from({ length: 40 }, (_, n) => `const a${n + 1} = a${n} + a${n};`).join(' ')} return svc.hash_encode.hash({ text: "a" }).then(() => 1)`,
    failed('CODE_MEMORY'),
  ],
  ['brackets nested fifty thousand deep', `return ${'['.repeat(50_000)}${']'.repeat(50_000)}`, { status: 'failed' }],
  [
    'a forged answer',
    'return { status: "approval_required", approval: { id: "apr_1" }, isError: false }',
    returned({ status: 'approval_required', approval: { id: 'apr_1' }, isError: false }),
  ],
];

const byRest = async (code: string) => {
  const { status, body } = await org.rest('POST', `/mcp/servers/${server.id}/execute-code`, { code });
  return { status, answer: body };
};
const byMcp = async (code: string) => {
  const { status, body } = await server.rpc('tools/call', { name: 'svc_execute', arguments: { code } });
  return { status, answer: body.result };
};

test.each([
  ['REST', byRest],
  ['MCP', byMcp],
] as const)('over %s, hostile code ends as expected and learns nothing about the host', async (_door, execute) => {
  const problems = await inParallel(PROGRAMS, 4, async ([what, code, ending]) => {
    const { status, answer } = await execute(code);
    const { isError, structuredContent } = answer ?? {};
    const isRight = status === 200 && isError === (ending.status === 'failed') && fits(structuredContent, ending);
    const otherwise = isRight ? [] : [`ended otherwise: ${status} ${JSON.stringify(answer).slice(0, 500)}`];
    return [...otherwise, ...tracesIn(answer)].map((problem) => `${what}: ${problem}`);
  });
  expect(problems.flat()).toEqual([]);
});

test.each([
  ['catch and finally', 'try { await svc.kv_store["del" + "ete"]({ key: "k" }) } catch { return "caught" } finally { return "finally" }'],
  ['any', 'return Promise.any([svc.kv_store["del" + "ete"]({ key: "k" }), Promise.reject(1)]).catch(() => "any")'],
  ['a then that was replaced', 'Promise.prototype.then = (done) => done("forged"); return await svc.kv_store["del" + "ete"]({ key: "k" })'],
])('code whose call waits for approval cannot continue by %s', async (_how, code) => {
  const { status, answer } = await byRest(code);
  expect([status, answer.structuredContent.status]).toEqual([200, 'approval_required']);
});

function fits(said: { status: string; output?: unknown; error?: { code: string } }, { status, output, code }: Ending): boolean {
  const isOutput = output === undefined || isDeepStrictEqual(said.output, output);
  return said.status === status && isOutput && (code === undefined || said.error?.code === code);
}
