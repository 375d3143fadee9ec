import { previewInput } from '../../../domain/redaction/preview-input.ts';
import { anApproval, anApprovalOf, linkOf, openPages, type PageBed, read } from './page-bed.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

const POLICY_ID = '11111111-1111-4111-8111-111111111111';

const PLAN = {
  type: 'mcp_code_batch_run',
  codeRunId: 'crun_1',
  intentSummary: 'Store a report and send it.',
  impactSummary: '2 calls found in the code.',
  predictedTools: [
    { tool: 'files.write_file', repeats: false, line: 9 },
    {
      tool: 'http.send_request',
      input: { url: 'https://api.example.com', headers: { Authorization: 'Bearer abcdefghijkl' } },
      repeats: true,
      line: 14,
    },
    { tool: 'http.send_request', knownInput: { url: '/reports' }, openFields: ['body'], repeats: false, line: 20 },
    { tool: 'clock.parse_date', input: { dateString: '2026-11-20' }, repeats: false, line: 2 },
  ],
  approvalRequiredTools: ['files.write_file', 'http.send_request'],
  approvalGroups: [
    { approvalPolicyId: POLICY_ID, approvalPolicyName: 'Outgoing requests', tools: ['http.send_request'] },
    { approvalPolicyId: 'other', approvalPolicyName: 'File writes', tools: ['files.write_file'] },
  ],
  availableApps: ['clock', 'files', 'http'],
  externalDomains: ['api.example.com'],
  storageIndicators: ['/reports/today.csv'],
  analysisConfidence: 'partial',
  dynamicSignals: ['a loop of unknown length'],
  codeHash: 'c0de',
  toolSurfaceHash: 'f00d',
};

test('the page shows the plan of a program and the policies that gate it', async () => {
  const { preview, redactedPaths } = previewInput(PLAN);
  const approval = await anApproval(bed, {
    inputPreview: preview,
    redactedPaths,
    policyId: POLICY_ID,
    codeRunId: 'crun_1',
    source: 'mcp_code',
  });
  const { text, html } = await read(linkOf(bed, approval));
  expect(text).toContain('wants to run this program in Default');
  expect(text).toContain('Store a report and send it.');
  expect(text).toContain('2 calls found in the code.');
  expect(text).toContain('This approval Outgoing requests http.send_request');
  expect(text).toContain('Needs a separate approval: File writes files.write_file');
  expect(text).toContain("files.write_file needs another approval line 9 We can't see what this sends.");
  expect(text).toContain('http.send_request needs approval may run several times line 14 url https://api.example.com');
  expect(text).toContain(
    'http.send_request needs approval line 20 url /reports body comes while the program runs. Your yes allows one http.send_request with the inputs shown here. The rest is not known yet and may be anything.',
  );
  expect(text).toContain('clock.parse_date line 2 dateString 2026-11-20 Contacts api.example.com Files and keys /reports/today.csv');
  expect(text).toContain('call 2: headers.Authorization');
  expect(text).toContain("What we can't see: some inputs, or how often a call runs.");
  for (const shown of ['a loop of unknown length', 'Could also use clock files http', 'c0de', 'f00d', 'crun_1'])
    expect(text).toContain(shown);
  expect(html).not.toContain('abcdefghijkl');
});

test('an input that only looks like a plan is shown as an input', async () => {
  const approval = await anApprovalOf(bed, { ...PLAN, intentSummary: 'Harmless.' });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('wants to run Send request on HTTP');
  expect(text).toContain('type mcp_code_batch_run');
});

test('a plan without valid entries can be shown', async () => {
  const approval = await anApproval(bed, {
    inputPreview: { type: 'mcp_code_batch_run', approvalGroups: [null, 7], predictedTools: [null] },
    codeRunId: 'crun_2',
  });
  const { status, text } = await read(linkOf(bed, approval));
  expect(status).toBe(200);
  expect(text).toContain("What we can't see: some calls, until the program runs.");
});
