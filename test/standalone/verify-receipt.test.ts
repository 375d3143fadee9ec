import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { COMPILE_CACHE } from '../../standalone/gateway-processes.ts';
import { aReceiptKey, claimsOfCall, claimsOfPlan, keySetOf } from '../support/receipts.ts';

const SCRIPT = join(import.meta.dirname, '../../standalone/verify-receipt.ts');
const key = aReceiptKey();
const input = { to: 'ada@example.com' };
let folder: string;
let jwks: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-receipts-'));
  jwks = file('jwks.json', JSON.stringify(keySetOf(aReceiptKey(), key)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

async function verify(args: string[], stdin = ''): Promise<{ code: number; out: string; errors: string }> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { cwd: folder, env: { NODE_COMPILE_CACHE: COMPILE_CACHE }, stdio: 'pipe' });
  child.stdin.end(stdin);
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, errors };
}

const aReceipt = async (claims: object = claimsOfCall(input)) => file('receipt', `${await key.sign(claims)}\n`);

test('a valid receipt is described in plain words, and the exit code is 0', async () => {
  const claims = claimsOfCall(input);
  const given = file('input.json', JSON.stringify(input));
  const { code, out, errors } = await verify([await aReceipt(claims), '--jwks', jwks, '--input', given, '--approval', claims.approvalId]);
  expect([code, errors]).toEqual([0, '']);
  expect(out).toContain(`Authentic: signed by https://gateway.example under the key ${key.publicKey.kid}.\n`);
  expect(out).toContain('Valid until 2096-10-02T07:06:40.000Z.\n');
  expect(out).toContain('The input given is exactly what was approved.\n');
  for (const said of [
    'send of mail, configured as mail',
    claims.approvalId,
    'by hosted_link',
    'Ask first',
    claims.orgId,
    'credentials version 2',
    'ada',
  ])
    expect(out).toContain(said);
});

test('without an input, the output says that the input was not compared', async () => {
  const { code, out } = await verify([await aReceipt(), '--jwks', jwks]);
  expect([code, out]).toEqual([0, expect.stringContaining('The input was not compared. To compare it, add --input FILE.')]);
});

test("the script also accepts the service's answer, from a file or from the standard input", async () => {
  const claims = claimsOfCall(input);
  const answer = JSON.stringify({ receipt: { id: claims.jti, jws: await key.sign(claims), claims } });
  expect((await verify([file('answer.json', answer), '--jwks', jwks])).code).toBe(0);
  expect((await verify(['-', '--jwks', jwks], answer)).code).toBe(0);
  expect((await verify([await aReceipt(), '--jwks', '-'], JSON.stringify(keySetOf(key)))).code).toBe(0);
});

test("for a plan's receipt, the script lists the calls and compares the program", async () => {
  const program = 'return await svc.mail.send({ to: "ada" })';
  const receipt = await aReceipt(claimsOfPlan(createHash('sha256').update(program).digest('hex')));
  const { code, out } = await verify([receipt, '--jwks', jwks, '--input', file('program.js', program)]);
  expect(code).toBe(0);
  expect(out).toContain('The program given is exactly the one that was approved.');
  expect(out).toMatch(/May call {7}mail\.send with the connection .*, credentials version 1/);
  expect((await verify([receipt, '--jwks', jwks, '--input', file('other.js', `${program};`)])).code).toBe(1);
});

test('an expired receipt is authentic and has its own exit code', async () => {
  const { code, out } = await verify([await aReceipt(claimsOfCall(input, { exp: 1_800_000_000 - 400_000_000 })), '--jwks', jwks]);
  expect([code, out]).toEqual([3, expect.stringMatching(/^Authentic: .*\nExpired: valid until 2014-05-13T16:53:20\.000Z\.\n/)]);
});

test.each<[string, () => Promise<string[]>, RegExp]>([
  ['a text that is not a receipt', async () => [file('x', 'hello'), '--jwks', jwks], /This is not a JWS/],
  ['an unknown key', async () => [file('x', await aReceiptKey().sign(claimsOfCall(input))), '--jwks', jwks], /has no key/],
  [
    'a changed byte',
    async () => [file('x', (await key.sign(claimsOfCall(input))).replace(/.$/, '_')), '--jwks', jwks],
    /not a JWS|signature is wrong/,
  ],
  ['another input', async () => [await aReceipt(), '--jwks', jwks, '--input', file('i', '{}')], /this input is not what was approved/],
  [
    'another approval',
    async () => [await aReceipt(), '--jwks', jwks, '--approval', 'apr_0000000000000000000000'],
    /about another approval/,
  ],
  [
    'a claim that was changed in the answer',
    async () => {
      const claims = claimsOfCall(input);
      const receipt = { jws: await key.sign(claims), claims: { ...claims, actionName: 'erase' } };
      return [file('x', JSON.stringify({ receipt })), '--jwks', jwks];
    },
    /beside it was changed: claims\.actionName is "erase", the signed value is "send"/,
  ],
  [
    'an answer with a repeated key',
    async () => [file('x', `{"claims":{},"claims":1,"jws":"${await key.sign(claimsOfCall(input))}"}`), '--jwks', jwks],
    /"claims" is repeated/,
  ],
  [
    'an input with a repeated key',
    async () => [await aReceipt(), '--jwks', jwks, '--input', file('i', '{"to":"mallory","to":"ada@example.com"}')],
    /"to" is repeated/,
  ],
  [
    'an input with a number that overflows',
    async () => [await aReceipt(), '--jwks', jwks, '--input', file('i', '{"to":1e400}')],
    /1e400 would be read as/,
  ],
  ['an invalid key set', async () => [await aReceipt(), '--jwks', file('k', 'keys')], /This is not a key set/],
])('%s: exit code 1, a sentence that names the failure, and nothing on stdout', async (_, args, problem) => {
  const { code, out, errors } = await verify(await args());
  expect([code, out]).toEqual([1, '']);
  expect(errors).toMatch(/^NOT VERIFIED\. .*\n$/);
  expect(errors).toMatch(problem);
});

test.each([
  ['no file', ['--jwks', 'jwks.json'], 'Usage'],
  ['no key set', ['jwks.json'], 'Usage'],
  ['two files', ['a', 'b', '--jwks', 'jwks.json'], 'Usage'],
  ['an unknown option', ['jwks.json', '--url', 'x'], "Unknown option '--url'"],
  ['a file that does not exist', ['none', '--jwks', 'jwks.json'], 'none cannot be read (ENOENT).'],
  ['two standard inputs', ['-', '--jwks', '-'], 'Only one FILE may be -'],
])('%s: exit code 2 and a sentence', async (_, args, message) => {
  const { code, out, errors } = await verify(args);
  expect([code, out]).toEqual([2, '']);
  expect(errors).toContain(message);
  expect(errors).not.toContain('    at ');
});

test('a name cannot imitate a line of the output or control the terminal', async () => {
  const policyName = 'Nice"\nValid until 9999-01-01.\u001b[2K\u202e';
  const { out } = await verify([await aReceipt(claimsOfCall(input, { policyName })), '--jwks', jwks]);
  expect(out).not.toContain('\nValid until 9999');
  expect(out).toContain('Nice"\\nValid until 9999-01-01.\\u{1b}[2K\\u{202e}');
});
