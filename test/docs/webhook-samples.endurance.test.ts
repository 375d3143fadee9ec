import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signDelivery } from '../../commands/webhooks/sign-delivery.ts';
import { foreignEnvironment } from '../../infra/config.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'gateway-samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The Go build cache stays between runs, because filling an empty cache takes a minute. */
const GO = { GOCACHE: join(tmpdir(), 'gateway-samples-go-cache'), GOPATH: join(folder, 'go'), GOTOOLCHAIN: 'local', GO111MODULE: 'off' };
const ENVIRONMENT = { ...foreignEnvironment(), ...GO };
const COMPILE_MS = 300_000;

const LANGUAGES = [
  { name: 'JavaScript', block: 'js', file: 'verify.mjs', needs: [process.execPath, '--version'], run: [process.execPath, 'verify.mjs'] },
  { name: 'Python', block: 'python', file: 'verify.py', needs: ['python3', '--version'], run: ['python3', 'verify.py'] },
  {
    name: 'Go',
    block: 'go',
    file: 'verify.go',
    needs: ['go', 'version'],
    compile: ['go', 'build', '-o', 'verify-go', 'verify.go'],
    run: ['./verify-go'],
  },
  {
    name: 'Java',
    block: 'java',
    file: 'Verify.java',
    needs: ['javac', '-version'],
    compile: ['javac', 'Verify.java'],
    run: ['java', '-Xshare:auto', 'Verify'],
  },
  { name: 'Perl', block: 'perl', file: 'verify.pl', needs: ['perl', '-MDigest::SHA', '-e', '1'], run: ['perl', 'verify.pl'] },
] as const;

const aSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const [secret, other] = [aSecret(), aSecret()];
const BODY = '{"event":"approval.requested","text":"Grüße, \\u2028 \n and a last line\n"}\n';

async function signature(by: string[], { body = BODY, ageSeconds = 0 } = {}): Promise<string> {
  const vault = { open: async (_: unknown, __: unknown, sealed: Buffer) => sealed.toString() };
  const [sealedSecret, formerSealedSecret = null] = by.map((one) => Buffer.from(one));
  const delivery = {
    id: 'id',
    orgId: 'org',
    endpointId: 'endpoint',
    endpointWorkspaceId: null,
    claimedAt: new Date(Date.now() - ageSeconds * 1000),
  };
  const headers = await signDelivery({ vault } as never, { ...delivery, sealedSecret: sealedSecret!, formerSealedSecret }, body);
  return headers['x-svc-signature']!;
}

interface Case {
  expects: 'right' | 'wrong';
  header(): Promise<string>;
  secret?: string;
  body?: string;
}

const CASES: Record<string, Case> = {
  'the right signature': { expects: 'right', header: () => signature([secret]) },
  'an empty body that was signed': { expects: 'right', header: () => signature([secret], { body: '' }), body: '' },
  'two signatures, verified with the new secret': { expects: 'right', header: () => signature([secret, other]) },
  'two signatures, verified with the former secret': { expects: 'right', header: () => signature([other, secret]) },
  'a signature from four minutes ago': { expects: 'right', header: () => signature([secret], { ageSeconds: 240 }) },
  'another body': { expects: 'wrong', header: () => signature([secret]), body: BODY.replace('requested', 'approved') },
  'another secret': { expects: 'wrong', header: () => signature([secret]), secret: other },
  'two wrong signatures': { expects: 'wrong', header: () => signature([other, aSecret()]) },
  'a timestamp from six minutes ago': { expects: 'wrong', header: () => signature([secret], { ageSeconds: 360 }) },
  'a timestamp in the future': { expects: 'wrong', header: () => signature([secret], { ageSeconds: -360 }) },
  'a timestamp that was changed': {
    expects: 'wrong',
    header: async () => (await signature([secret], { ageSeconds: 360 })).replace(/t=\d+/, `t=${now()}`),
  },
  'no signature': { expects: 'wrong', header: async () => `t=${now()}` },
  'no timestamp': { expects: 'wrong', header: async () => (await signature([secret])).replace(/t=\d+,/, '') },
  nonsense: { expects: 'wrong', header: async () => `t=${now()}x,v1=zz,v1=,v1,=,,` },
  nothing: { expects: 'wrong', header: async () => '' },
};

const now = () => Math.floor(Date.now() / 1000);

for (const language of LANGUAGES) {
  const isHere = isInstalled(language.needs);
  const name = `the ${language.name} sample on the page accepts valid requests and refuses invalid ones`;
  if (!isHere && language.name !== 'JavaScript') {
    test.skip(`${name} (skipped: ${language.needs[0]} is not on this machine)`, () => {});
    continue;
  }
  test(
    name,
    async () => {
      writeFileSync(join(folder, language.file), blockOf(language.name, language.block));
      if ('compile' in language) execFileSync(language.compile[0], language.compile.slice(1), { cwd: folder, env: ENVIRONMENT });
      const runs = Object.entries(CASES).map(async ([what, { expects, header, ...given }]) => {
        const answer = await run(language.run, await header(), given.secret ?? secret, given.body ?? BODY);
        expect({ [what]: answer }).toEqual({ [what]: { stdout: `${expects}\n`, stderr: '', code: expects === 'right' ? 0 : 1 } });
      });
      await Promise.all(runs);
    },
    COMPILE_MS,
  );
}

function isInstalled([program, ...args]: readonly string[]): boolean {
  try {
    execFileSync(program!, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function blockOf(heading: string, language: string): string {
  const section = PAGE.split(`\n### ${heading}\n`)[1]!.split('\n### ')[0]!;
  return section.split(`\`\`\`${language}\n`)[1]!.split('\n```')[0]!;
}

async function run([command, ...args]: readonly string[], header: string, secretOfRun: string, body: string) {
  const child = spawn(command!, [...args, header], { cwd: folder, env: { ...ENVIRONMENT, WEBHOOK_SECRET: secretOfRun } });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) child[stream].setEncoding('utf8').on('data', (text) => (output[stream] += text));
  child.stdin.on('error', () => {}).end(body);
  const [code] = await once(child, 'close');
  return { ...output, code };
}
