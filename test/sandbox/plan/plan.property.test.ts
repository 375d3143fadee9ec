import fc from 'fast-check';
import { isRecord } from '../../../domain/unknown-values.ts';
import type { KnownParts } from '../../../sandbox/plan/known-parts.ts';
import { type CodePlan, planCode } from '../../../sandbox/plan/plan.ts';
import { prepareCode } from '../../../sandbox/reader/prepare-code.ts';
import { lineOfTag, makeProgram } from './plan-programs.ts';

const surface = { mail: ['send', 'read'], 'my-files': ['put'] };
const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...given: unknown[]) => Promise<unknown>;

test('a plan that is not dynamic predicts every executed call, and its known inputs are right', async () => {
  const tape = fc.array(fc.nat(), { minLength: 20, maxLength: 120 });
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(tape, async (numbers) => {
      const program = makeProgram(numbers);
      const plan = planCode(program, surface);
      const calls = await execute(program);
      if (!calls || plan.analysisConfidence === 'dynamic') return;
      judged += calls.length;
      expect({ program, unpredicted: unpredicted(program, plan, calls), calls: plan.calls }).toMatchObject({ unpredicted: [] });
    }),
    { numRuns: 3000 },
  );
  expect(judged).toBeGreaterThan(200);
});

interface ExecutedCall {
  alias: string;
  action: string;
  input: string;
  tag: unknown;
}

// Returns null if the program does not compile.
async function execute(program: string): Promise<ExecutedCall[] | null> {
  const calls: ExecutedCall[] = [];
  const record = (alias: string, action: string) => async (input: unknown, tag: unknown) => {
    calls.push({ alias, action, input: canonical(input === undefined ? {} : input), tag });
    return { k: 'answer', l: [1] };
  };
  const files = { put: record('my-files', 'put') };
  const svc = { mail: { send: record('mail', 'send'), read: record('mail', 'read') }, my_files: files, 'my-files': files };
  try {
    const run = new AsyncFunction('svc', 'console', prepareCode(program).code);
    await run(svc, { log() {} }).catch(() => {});
  } catch {
    return null;
  }
  await new Promise((resolve) => setImmediate(resolve));
  return calls;
}

function unpredicted(program: string, plan: CodePlan, calls: ExecutedCall[]): ExecutedCall[] {
  const open = [...plan.calls];
  const taggedFirst = [...calls].sort((a, b) => Number(typeof b.tag === 'string') - Number(typeof a.tag === 'string'));
  return taggedFirst.filter((call) => {
    const line = typeof call.tag === 'string' ? lineOfTag(program, call.tag) : undefined;
    const fits = open.filter(
      (predicted) =>
        predicted.alias === call.alias &&
        predicted.action === call.action &&
        (line === undefined || predicted.line === line) &&
        (predicted.inputKnown ? canonical(predicted.input) === call.input : hasParts(call.input, predicted.parts)),
    );
    const best =
      fits.find((fit) => fit.inputKnown && !fit.repeats) ??
      fits.find((fit) => fit.inputKnown) ??
      fits.find((fit) => !fit.repeats) ??
      fits[0];
    if (best && !best.repeats) open.splice(open.indexOf(best), 1);
    return best === undefined;
  });
}

function hasParts(input: string, { known }: KnownParts = { known: [], open: [] }): boolean {
  return known.every(({ path, value }) => {
    const found: unknown = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), JSON.parse(input));
    return canonical(found) === canonical(value);
  });
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  );
}
