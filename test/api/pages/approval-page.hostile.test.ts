import fc from 'fast-check';
import { previewInput } from '../../../domain/redaction/preview-input.ts';
import { anApproval, anApprovalOf, decide, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { aMember, anAccount, approve, asPerson } from './page-records.ts';
import { aPlan } from './page-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

const MARKUP = `"><script>alert(1)</script><img src=x onerror=alert(1)>' onfocus='x' {{7*7}} <%= 7*7 %> </pre></style></textarea></title><!-- \${1}`;
const INVISIBLE = 'safe\u202Egnp.exe\u2066\u200B\u00AD\uFEFF\u0007\u{E0041}\u2028end';
const ESCAPED = 'safe\\u{202e}gnp.exe\\u{2066}\\u{200b}\\u{ad}\\u{feff}\\u{7}\\u{e0041}\\u{2028}end';
const HOSTILE = `${MARKUP} ${INVISIBLE}`;

/** Tags of the templates. Any other tag in a page comes from a value. */
const OWN_TAG =
  /^<(\/?(html|head|body|meta|title|style|a|header|svg|path|rect|span|main|div|section|p|h[1-3]|strong|time|ul|ol|li|dl|dt|dd|code|pre|table|thead|tbody|tr|th|td|form|input|label|textarea|button|del|ins|details|summary|bdi)|!doctype)[\s>/]/;

function assertClean(html: string): void {
  const body = html.slice(html.indexOf('</style>'));
  const tags = (body.match(/<[^>]*>?/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'));
  expect(tags.filter((tag) => !OWN_TAG.test(tag) || /\son\w+|'/.test(tag))).toEqual([]);
  expect(html.replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
}

test('markup and invisible characters in any field are shown as text', async () => {
  const fields = {
    policyName: HOSTILE,
    integrationName: HOSTILE,
    integrationAlias: HOSTILE,
    actionName: HOSTILE,
    endUserId: HOSTILE,
    source: HOSTILE,
    connectionStrategy: HOSTILE,
    riskReasons: [HOSTILE, HOSTILE],
  };
  const approval = await anApproval(bed, {
    ...fields,
    inputPreview: { [HOSTILE]: [HOSTILE, { [HOSTILE]: HOSTILE }] },
    redactedPaths: [HOSTILE],
  });
  await bed.gateway.db('workspaces').where({ id: bed.org.workspaceId }).update({ name: HOSTILE });
  const { status, html, text } = await read(linkOf(bed, approval));
  expect(status).toBe(200);
  assertClean(html);
  expect(text.split(ESCAPED).length - 1).toBeGreaterThan(12);
  expect(text).toContain('<script>alert(1)</script>');
});

test('the hostile plan of a program is shown as text', async () => {
  const plan = {
    intentSummary: HOSTILE,
    impactSummary: HOSTILE,
    predictedTools: [{ tool: HOSTILE, input: { [HOSTILE]: HOSTILE }, repeats: HOSTILE, line: HOSTILE }, HOSTILE, null, [HOSTILE]],
    approvalRequiredTools: [HOSTILE, { [HOSTILE]: 1 }],
    approvalGroups: [{ approvalPolicyId: null, approvalPolicyName: HOSTILE, tools: [HOSTILE, {}] }],
    availableApps: [HOSTILE],
    externalDomains: [HOSTILE],
    storageIndicators: [{ path: HOSTILE }],
    analysisConfidence: HOSTILE,
    dynamicSignals: [HOSTILE, 7, null],
    codeHash: HOSTILE,
    toolSurfaceHash: HOSTILE,
  };
  const approval = await anApproval(bed, { inputPreview: { type: 'mcp_code_batch_run', ...plan }, codeRunId: HOSTILE });
  const { status, html } = await read(linkOf(bed, approval));
  expect(status).toBe(200);
  assertClean(html);
});

test('hostile names and earlier approved values are shown as text', async () => {
  const { orgId: org_id, workspaceId: workspace_id } = bed.org;
  await bed.gateway.db('orgs').where({ id: org_id }).update({ name: HOSTILE });
  await bed.gateway.db('end_users').insert({ org_id, workspace_id, external_id: HOSTILE, display_name: HOSTILE });
  const account = await anAccount(bed, { display_name: HOSTILE });
  const given = { endUserId: HOSTILE, concernedConnectionIds: [account], actionName: HOSTILE };
  await approve(
    bed,
    await anApproval(bed, { ...given, inputPreview: { [HOSTILE]: HOSTILE, long: `${HOSTILE}${'x'.repeat(90)}`, gone: HOSTILE } }),
  );
  const approval = await anApproval(bed, { ...given, inputPreview: { [HOSTILE]: 'other', long: HOSTILE.repeat(2), added: [HOSTILE] } });
  const { status, html, text } = await read(asPerson(bed, approval, await aMember(bed, 'owner', HOSTILE)));
  expect(status).toBe(200);
  assertClean(html);
  expect(text).toContain('2 changed, 1 added, 1 removed');
  expect(text.split(ESCAPED).length - 1).toBeGreaterThan(12);
});

test('hostile code that closes tags is shown as text', async () => {
  const code = [
    MARKUP,
    INVISIBLE,
    '`${',
    '</code></td></tr></table></pre>',
    '<span class="hljs-x" onclick="x">',
    "/*' */",
    `'${HOSTILE}'`,
  ].join('\n');
  for (const shown of [code, code.repeat(400)]) {
    const approval = await aPlan(bed, null, shown);
    const { status, html, text } = await read(linkOf(bed, approval));
    expect(status).toBe(200);
    assertClean(html);
    expect(text).toContain('</code></td></tr></table></pre>');
  }
});

test('a hostile reason is shown as text, in the form and in the outcome', async () => {
  const approval = await anApproval(bed);
  const again = await decide(linkOf(bed, approval), 'reject', { reason: `${HOSTILE}\0` });
  // The form returns invisible characters unchanged; only markup is escaped.
  const [before, typed, after] = (await again.text()).split(/(?<=<textarea[^>]*>)|(?=<\/textarea>)/);
  assertClean(`${before}${after}`);
  expect(typed).toMatch(/^&quot;&gt;&lt;script&gt;alert\(1\)/);
  expect(typed).not.toMatch(/[<>"']/);
  await decide(linkOf(bed, approval), 'reject', { reason: HOSTILE });
  const { html, text } = await read(linkOf(bed, approval));
  assertClean(html);
  expect(text).toContain(ESCAPED);
});

test('any JSON input can be shown on the page', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' })), async (input) => {
      const storable = JSON.parse(JSON.stringify(previewInput(input).preview)) as Record<string, unknown>;
      const { status, html } = await read(linkOf(bed, await anApproval(bed, { inputPreview: storable })));
      expect(status).toBe(200);
      assertClean(html);
    }),
    { numRuns: 40 },
  );
});

test('the page of a very large input says how much is left out', async () => {
  const list = Array.from({ length: 200 }, (_, row) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, column) => [`c${column}`, `${row}/${column}`])),
  );
  const previewed = await read(linkOf(bed, await anApprovalOf(bed, { list })));
  const raw = await read(linkOf(bed, await anApproval(bed, { inputPreview: { list } })));
  expect([previewed.status, raw.status]).toEqual([200, 200]);
  for (const { text } of [previewed, raw]) expect(text).toContain('0/0');
  expect(previewed.text).toContain('[not shown: the input is too large]');
  expect(raw.text).toMatch(/[\d,]+ more values are not shown\./);
});

test('a very long text is cut, marked as cut, and can be scrolled', async () => {
  const { text, html } = await read(linkOf(bed, await anApprovalOf(bed, { body: 'x'.repeat(900_000) })));
  expect(text).toContain('[896000 more characters]');
  expect(html).toContain('<pre class="block"');
});

test("deeply nested values can be shown, within and beyond the preview's depth", async () => {
  let value: unknown = 'bottom';
  for (let depth = 0; depth < 60; depth += 1) value = depth % 2 ? [value] : { down: value };
  const previewed = await read(linkOf(bed, await anApprovalOf(bed, { value })));
  const raw = await read(linkOf(bed, await anApproval(bed, { inputPreview: { value } })));
  expect([previewed.status, raw.status]).toEqual([200, 200]);
  expect(raw.text).toContain('deeper values are not shown');
});
