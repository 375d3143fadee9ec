import { aServer, aTenant } from '../../../../support/tenant.ts';
import { openProgramBed, type ProgramBed } from './program-bed.ts';

let bed: ProgramBed;
beforeAll(async () => {
  bed = await openProgramBed();
});
afterAll(() => bed.close());

const PROGRAM = '/playground/program';
const post = (fields: Record<string, string>) => bed.admin.post(PROGRAM, { server: bed.server.id, ...fields });
const PUT = 'console.log("before"); await svc.kv_store.put({ key: "a", value: 1 }); return (await svc.kv_store.get({ key: "a" })).value;';
const runsOf = () =>
  bed.gateway.db('code_runs').where({ mcp_server_id: bed.server.id }).select('id', 'requested_by_type', 'requested_by_id');
const approvalIn = (html: string) => /href="[^"]*\/approvals\/(apr_[^"]+)">Decide it/.exec(html)![1]!;
const decide = (id: string, decision: string) => bed.admin.post(`/approvals/${id}/decide`, { decision });

test('only servers in CODE mode can be chosen; if there is only one, it is selected', async () => {
  const tools = await aServer(bed, 'TOOLS', []);
  const { html } = await bed.admin.get(PROGRAM);
  expect(html).toContain(`<option value="${bed.server.id}" selected>`);
  expect(html).not.toContain(tools.id);
  expect(html).toMatch(/<label for="field-code">Program<\/label>/);
});

test('a program runs as the member, and the page links to its run', async () => {
  const { text, html } = await post({ code: 'console.log("hello"); return { sum: 1 + 1 };', act: 'run' });
  expect(text).toMatch(/It ran in [\d,]+ ms and made 0 calls\..*sum 2.*Logs hello/);
  const runs = await runsOf();
  expect(html).toContain(`/app/runs/${runs.at(-1).id}">See the run`);
  expect(runs.at(-1)).toMatchObject({ requested_by_type: 'user', requested_by_id: bed.admin.id });
  expect((await bed.admin.get(`/runs/${runs.at(-1).id}`)).status).toBe(200);
});

test('Check lists calls and required approvals without running anything', async () => {
  const before = [await runsOf(), await bed.gateway.db('approvals').where({ org_id: bed.orgId })];
  const { text } = await post({ code: PUT, act: 'check' });
  expect(text).toMatch(/It makes 2 calls\. 1 needs a yes\. We see every call and every input\./);
  expect(text).toMatch(/kv-store\.put 1 Known Needs a yes: "Ask first" asks\./);
  expect(text).toMatch(/kv-store\.get 1 Known Needs no yes\./);
  expect([await runsOf(), await bed.gateway.db('approvals').where({ org_id: bed.orgId })]).toEqual(before);
});

test('Check reports a call that cannot be made, and says that some calls cannot be seen before the run', async () => {
  const { text } = await post({ code: 'await svc.hash_encode.hash({ text: 1 }); return svc[name].x();', act: 'check' });
  expect(text).toMatch(/Can't be made now: its input does not fit, or an account is missing\. .*text/);
  expect(text).toContain("We can't see some calls before it runs.");
});

test('a held program makes its change once after the approval, even with two concurrent resumes', async () => {
  const { text, html } = await post({ code: PUT, act: 'run' });
  expect(text).toMatch(/somebody must say yes/);
  const approval = approvalIn(html);
  expect((await bed.admin.get(`/approvals/${approval}`)).text).toMatch(/admin \d+ wants to run this program/);
  expect((await bed.admin.get('/approvals')).text).toMatch(/Run a program apr_\w+ Default admin \d+ /);
  expect((await post({ code: PUT, act: 'resume', approval })).text).toMatch(/somebody must say yes/);
  await decide(approval, 'approve');
  const resumed = await Promise.all([post({ code: PUT, act: 'resume', approval }), post({ code: PUT, act: 'resume', approval })]);
  for (const answer of resumed) expect(answer.text).toMatch(/It ran in [\d,]+ ms and made 2 calls\. 1/);
  const puts = await bed.gateway.db('calls').where({ org_id: bed.orgId, action_name: 'put', status: 'succeeded' });
  expect(puts).toHaveLength(1);
});

test('a resume that waits gets the result as soon as the request is decided', async () => {
  const code = 'await svc.kv_store.put({ key: "b", value: 2 }); return "after the yes";';
  const approval = approvalIn((await post({ code, act: 'run' })).html);
  const waiting = post({ code, act: 'resume', approval, wait: 'yes' });
  await decide(approval, 'approve');
  expect((await waiting).text).toContain('after the yes');
});

test('the page says that a program was rejected', async () => {
  const code = 'await svc.kv_store.put({ key: "c", value: 3 });';
  const approval = approvalIn((await post({ code, act: 'run' })).html);
  await decide(approval, 'reject');
  expect((await post({ code, act: 'resume', approval })).text).toContain('APPROVAL_REJECTED');
});

test('an error of the program is its result, with the error’s line', async () => {
  const { text, status } = await post({ code: 'const x = 1;\nthrow new Error("<b>broken</b>");', act: 'run' });
  expect(status).toBe(200);
  expect(text).toMatch(/CODE_ERROR: .*<b>broken<\/b>.*\(line 2, column \d+\)/);
});

test('an output of a megabyte is cut, and the page says so', async () => {
  const { text } = await post({ code: 'return "x".repeat(900_000);', act: 'run' });
  expect(text).toMatch(/The first 200,000 of 900,002 characters of its JSON are shown\./);
});

test.each([
  ['without a program', { code: '' }, 'Program is missing'],
  ['without a server', { code: 'return 1', server: '' }, 'Server is missing'],
  ['with a program above 256 kB', { code: `//${'x'.repeat(262_144)}` }, 'Program must not be larger than 262144 bytes'],
])('%s, nothing runs', async (_, fields, problem) => {
  const before = await runsOf();
  const { status, text } = await post({ act: 'run', ...fields });
  expect([status, text]).toEqual([400, expect.stringContaining(`Nothing ran.`)]);
  expect(text).toContain(problem);
  expect(await runsOf()).toEqual(before);
});

test('a suspended server, a TOOLS server and a server of another organization run nothing', async () => {
  const tools = await aServer(bed, 'TOOLS', []);
  const suspended = await aServer(bed, 'CODE', []);
  expect((await bed.admin.post(`/servers/${suspended.id}/suspend`)).status).toBe(303);
  const foreign = await aServer(await aTenant(), 'CODE', []);
  const tried = async (server: string) => {
    const { status, text } = await post({ server, code: 'return 1', act: 'run' });
    return [status, /suspended|TOOLS mode|There is nothing here/.exec(text)?.[0]];
  };
  expect(await tried(tools.id)).toEqual([400, 'TOOLS mode']);
  expect(await tried(suspended.id)).toEqual([400, 'suspended']);
  expect(await tried(foreign.id)).toEqual([404, 'There is nothing here']);
  expect(await tried('nonsense')).toEqual([404, 'There is nothing here']);
  expect((await bed.admin.get(`${PROGRAM}/words?server=${foreign.id}`)).status).toBe(404);
});

test('an unknown approval resumes nothing', async () => {
  const { text } = await post({ code: 'return 1', act: 'resume', approval: 'apr_AAAAAAAAAAAAAAAAAAAAAA' });
  expect(text).toContain('APPROVAL_NOT_FOUND');
});

test('the editor gets the names that code can use', async () => {
  const { html } = await bed.admin.get(`${PROGRAM}/words?server=${bed.server.id}`);
  const words = JSON.parse(html);
  expect(words.kv_store.put).toEqual(expect.arrayContaining(['key', 'value']));
  expect(Object.keys(words)).toEqual(['hash_encode', 'kv_store']);
});

test('an alias named like a built-in object property works in runs, the editor and replays', async () => {
  const instance = { integrationName: 'hash-encode', alias: 'constructor' };
  await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, instance);
  const code = 'return (await svc.constructor.hash({ text: "a" })).digest.length;';
  const ran = await post({ code, act: 'run' });
  expect(ran.text).toMatch(/It ran in [\d,]+ ms and made 1 call\. 64/);
  const { html } = await bed.admin.get(`${PROGRAM}/words?server=${bed.server.id}`);
  expect(JSON.parse(html).constructor.hash).toContain('text');
  const [, id] = /\/runs\/([^"]+)">See the run/.exec(ran.html)!;
  expect((await bed.admin.post(`/runs/${id}/replay`, { program: code })).text).toContain('Nothing differs');
});
