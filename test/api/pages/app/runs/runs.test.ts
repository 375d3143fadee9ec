import { hashCode } from '../../../../../commands/code-runs/plan/plan-code-run.ts';
import { createWorkspace } from '../../../../../commands/workspaces/create-workspace.ts';
import { PAGE } from '../../../../../domain/limits.ts';
import { randomId } from '../../../../../infra/tokens.ts';
import { insertCodeRun, type NewCodeRun } from '../../../../../store/code-run-starts.ts';
import { type JournalCall, type RunRecord, recordRun } from '../../../../support/record-run.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { RESULT } from '../../run-states.ts';
import { type AppMember, aMember } from '../app-bed.ts';
import { aRunIn, aRunThatWaited } from './run-records.ts';

let bed: ApiBed;
let admin: AppMember;
let viewer: AppMember;
beforeAll(async () => {
  bed = await openApiBed();
  [admin, viewer] = [await aMember(bed, 'admin'), await aMember(bed, 'viewer')];
});
afterAll(() => bed.close());

async function aServer(name: string, workspaceId = bed.workspaceId): Promise<string> {
  const place = { org_id: bed.orgId, workspace_id: workspaceId };
  const row = { ...place, name, mode: 'CODE', auth_mode: 'bearer', end_user_access: 'open' };
  const [{ id }] = await bed.gateway.db('mcp_servers').insert(row).returning('id');
  return id;
}

async function aRun(record: RunRecord, given: Partial<NewCodeRun> = {}): Promise<string> {
  const { orgId, workspaceId, gateway } = bed;
  const code = given.code ?? 'return 1';
  const asked = { mcpServerId: workspaceId, endUserId: null, requestedByType: 'mcp_token', requestedById: null } as const;
  const run = { id: randomId('crun_'), orgId, workspaceId, ...asked, code, codeHash: hashCode(code), ...given };
  await insertCodeRun(gateway.db, run);
  await recordRun(gateway.db, run, record);
  return run.id;
}

const idsIn = (html: string) => [...html.matchAll(/href="\/app\/runs\/(crun_\w+)"/g)].map(([, id]) => id);
const regionOf = (html: string, name: string) => {
  const id = new RegExp(`<h2 id="([^"]+)">${name}</h2>`).exec(html)?.[1];
  return html.split(`aria-labelledby="${id}"`)[1]!.split('</section>')[0]!;
};

describe('the list', () => {
  test('an empty list explains what creates a run', async () => {
    const org = { ...bed, orgId: (await bed.gateway.db('orgs').insert({ name: 'New' }).returning('id'))[0].id };
    const page = await (await aMember(org, 'viewer')).get('/runs');
    expect(page.text).toContain('No code runs yet. A code run begins when an agent');
    expect(page.html).not.toContain('Write a program');
    expect((await (await aMember(org, 'admin')).get('/runs')).html).toContain('href="/app/playground/program">Write a program<');
  });

  test('can be filtered by status, server, and the workspace in the banner', async () => {
    const elsewhere = (
      await createWorkspace(bed.gateway, { type: 'system', id: null }, { orgId: bed.orgId, name: 'Elsewhere', slug: 'elsewhere' })
    ).id;
    const [here, there] = [await aServer('Billing agent'), await aServer('Other agent', elsewhere)];
    const failed = await aRun({ status: 'failed', calls: [{ number: 0, tool: 'crm.list', status: 'failed' }] }, { mcpServerId: here });
    const waiting = await aRun({ status: 'waiting' }, { mcpServerId: here, endUserId: 'ada' });
    const other = await aRun({ status: 'failed' }, { mcpServerId: there, workspaceId: elsewhere });
    const listed = async (query: string) => idsIn((await viewer.get(`/runs${query}`)).html);
    expect(await listed('')).toEqual([other, waiting, failed]);
    expect(await listed('?status=failed')).toEqual([other, failed]);
    expect(await listed(`?server=${here}`)).toEqual([waiting, failed]);
    expect(await listed(`?server=${here}&status=failed`)).toEqual([failed]);
    expect(await listed(`?workspace=${elsewhere}`)).toEqual([other]);
    expect(await listed('?status=nonsense&server=nobody')).toEqual([other, waiting, failed]);
    const { text, html } = await viewer.get('/runs');
    expect(text).toContain(`${waiting} for ada`);
    expect(text).toMatch(/Billing agent in Default Failed .* UTC 1 2\.40 s/);
    expect(html).toContain(`<option value="${here}">Billing agent</option>`);
    expect((await viewer.get('/runs?status=expired')).text).toContain('Nothing matches these filters.');
  });

  test('servers with equal names are distinguished by workspace, and workspaces by slug', async () => {
    const inWorkspace = async (name: string, slug: string) => {
      const { id } = await createWorkspace(bed.gateway, { type: 'system', id: null }, { orgId: bed.orgId, name, slug });
      return aServer('Twin agent', id);
    };
    const [east, first, second] = [await inWorkspace('East', 'east'), await inWorkspace('West', 'w-1'), await inWorkspace('West', 'w-2')];
    const { html } = await viewer.get('/runs');
    expect(html).toContain(`<option value="${east}">Twin agent, in East</option>`);
    expect(html).toContain(`<option value="${first}">Twin agent, in West (w-1)</option>`);
    expect(html).toContain(`<option value="${second}">Twin agent, in West (w-2)</option>`);
  });

  test('the pages of the list have no gaps or repeats while runs are added', async () => {
    const workspace = (await createWorkspace(bed.gateway, { type: 'system', id: null }, { orgId: bed.orgId, name: 'Many', slug: 'many' }))
      .id;
    const made = await Promise.all(
      Array.from({ length: PAGE.default + 2 }, () => aRun({ status: 'executed' }, { workspaceId: workspace })),
    );
    const first = await viewer.get(`/runs?workspace=${workspace}`);
    const next = /href="\/app(\/runs\?[^"]*page=[^"]*)">Next page/.exec(first.html)![1]!.replaceAll('&amp;', '&');
    await aRun({ status: 'running' }, { workspaceId: workspace });
    const second = await viewer.get(next);
    expect([...idsIn(first.html), ...idsIn(second.html)].toSorted()).toEqual(made.toSorted());
    expect(second.html).not.toContain('Next page');
    expect((await viewer.get(next.replace('/runs?', '/runs?status=failed&'))).status).toBe(400);
  });
});

test.each([
  ['waiting', ['Waiting for people', 'One request is undecided.', 'Not available until the program ends.']],
  ['running', ['Running', 'mail.send_email under way']],
  ['executed', ['Ran to its end', '4 calls: 4 succeeded', 'two customers have not paid', 'crm.list_customers']],
  ['failed', ['ACTION_FAILED in line 14 : Slack does not know']],
  ['canceled', ['The program was canceled.', 'not answered']],
  ['over its retention', ['Deleted: the retention period is over', 'Please pay within 14 days.']],
])('a run is shown in each state: %s', async (state, sentences) => {
  const { status, text, html } = await viewer.get(`/runs/${await aRunIn(bed, state)}`);
  expect([status, html]).toEqual([200, expect.stringContaining('<h1>Code run</h1>')]);
  for (const sentence of sentences) expect(`${text} ${html}`).toContain(sentence);
  for (const region of ['Calls', 'Output', 'Logs', 'Approvals', 'Program']) expect(regionOf(html, region)).not.toBe('');
});

test('approvals link to their pages and name the decider', async () => {
  const id = await aRunIn(bed, 'executed');
  const [approval] = await bed.gateway.db('approvals').where({ code_run_id: id }).orderBy('created_at');
  const { html } = await viewer.get(`/runs/${id}`);
  expect(regionOf(html, 'Approvals')).toContain(`href="/app/approvals/${approval.id}">The program as a whole</a>`);
  expect(regionOf(html, 'Approvals')).toContain(`href="/app/policies/${approval.policy_id}">Outgoing messages</a>`);
  expect(regionOf(html, 'Approvals')).toMatch(/Used[\s\S]*A reviewer, on the page of the approval/);
  expect(regionOf(html, 'Calls')).toMatch(/<li id="call-2"[\s\S]*href="#line-10"/);
  expect(regionOf(html, 'Calls')).toContain(`href="/app/approvals/${approval.id}"`);
  expect(regionOf(html, 'Program')).toContain('href="#call-2"');
  expect((await viewer.get(`/approvals/${approval.id}`)).html).toContain(`href="/app/runs/${id}"`);
});

describe('the timeline', () => {
  test('has the same numbers in its drawing, its accessible name and a table', async () => {
    const { id } = await aRunThatWaited(bed);
    const { html, text } = await viewer.get(`/runs/${id}`);
    expect(html).toContain(
      'role="img" aria-label="Timeline. 2 calls: 1 succeeded, 1 failed. Ran 2.40 s in 2 passes, waited 1 hour for people."',
    );
    expect(html).toContain('<figure class="card timeline" aria-labelledby="timeline">');
    const figure = html.split('<figure')[1]!.split('</figure>')[0]!;
    expect(figure.match(/class="tick-label"/g)).toHaveLength(2);
    expect(figure.match(/url\(#hatch\)/g)).toHaveLength(1);
    expect(figure.match(/<rect class="(good|bad|wait)"/g)).toEqual(['<rect class="good"', '<rect class="wait"', '<rect class="bad"']);
    // An hour of waiting takes one fifth of the drawing's width.
    const wait = /<rect class="wait" x="([\d.]+)%"[^>]*width="([\d.]+)%"/.exec(figure)!;
    expect(Number(wait[2])).toBeCloseTo(20, 0);
    expect(text).toMatch(/1 crm\.list 0 ms – 300 ms succeeded 2 mail\.send 120 ms 1 hour 500 ms failed/);
  });

  test('shows how long the whole program waited, or that there are no calls', async () => {
    const { html } = await viewer.get(`/runs/${await aRunIn(bed, 'waiting')}`);
    expect(html).toMatch(/class="lane-label"[^>]*>The program<tspan[^>]*>waited /);
    expect((await viewer.get(`/runs/${await aRun({ status: 'running' })}`)).html).toMatch(/<figure[\s\S]*No calls\.[\s\S]*<\/figure>/);
  });
});

test('a run shows 200 calls in pages of 50', async () => {
  const calls = Array.from(
    { length: 200 },
    (_, number): JournalCall => ({ number, tool: 'crm.list', status: 'succeeded', input: { number } }),
  );
  const id = await aRun({ status: 'executed', calls, result: RESULT });
  const first = await viewer.get(`/runs/${id}`);
  expect(first.text).toContain('Calls 1 to 50 of 200.');
  expect(first.html.match(/<li id="call-\d+"/g)).toHaveLength(50);
  expect(first.html.match(/class="lane-label"/g)).toHaveLength(50);
  expect(first.html).toContain('Timeline. 200 calls: 200 succeeded.');
  expect(first.html).toContain(`href="/app/runs/${id}?page=2#calls">Next page`);
  const last = await viewer.get(`/runs/${id}?page=4`);
  expect(last.html).toContain('<li id="call-200"');
  expect(last.html).not.toContain('Next page');
  for (const page of ['0', '99', '-1', 'x', '1e9']) expect((await viewer.get(`/runs/${id}?page=${page}`)).status).toBe(200);
});

test('hostile text is shown as text, and secrets stay hidden', async () => {
  const hostile = '<script>alert(1)</script>\u202egnp.exe';
  const secret = 'sk_live_abcdefghijklmnop1234';
  const calls: JournalCall[] = [
    {
      number: 0,
      tool: `${hostile}.<b>`,
      status: 'succeeded',
      input: { [hostile]: hostile, apiKey: secret },
      outcome: { ok: true, output: { token: secret } },
    },
    { number: 1, tool: 'crm.list', status: 'failed', outcome: { ok: false, error: { code: hostile, message: hostile } } },
  ];
  const logs = [{ level: 'log' as const, message: `${hostile} ${'w'.repeat(100_000)}`, timestamp: '2026-11-21T10:00:00.120Z' }];
  const result = { ...RESULT, output: { [hostile]: 'w'.repeat(100_000), secret: `Bearer ${secret}` }, logs };
  const id = await aRun({ status: 'executed', calls, result }, { endUserId: hostile, code: `const apiKey = "${secret}"; // ${hostile}` });
  for (const path of ['/runs', `/runs/${id}`]) {
    const { status, html } = await viewer.get(path);
    expect(status).toBe(200);
    expect(html).not.toMatch(/<script>alert|<b>|\u202e/);
    expect(html).not.toContain(secret);
    expect(html.length).toBeLessThan(400_000);
  }
});

describe('canceling', () => {
  test('requires a confirmation, withdraws pending requests and is recorded as the member’s act', async () => {
    const id = await aRunIn(bed, 'waiting');
    const page = await admin.get(`/runs/${id}`);
    expect(page.html).toContain(`href="/app/runs/${id}/cancel">Cancel run</a>`);
    const asked = await admin.get(`/runs/${id}/cancel`);
    expect(asked.text).toMatch(/Cancel this run\?.*Approvals that still wait are withdrawn.*Cancel run.*Keep it/);
    expect((await admin.get(`/runs/${id}`)).text).toContain('Waiting for people');

    const done = await admin.post(`/runs/${id}/cancel`, { reason: 'Not needed any more' });
    expect([done.status, done.location]).toEqual([303, expect.stringMatching(new RegExp(`/app/runs/${id}$`))]);
    const after = await admin.get(`/runs/${id}`);
    expect(after.text).toMatch(/The run is canceled\..*CODE_RUN_CANCELED.*by a person: Not needed any more/);
    expect(after.html).not.toContain('Cancel run');
    const { db } = bed.gateway;
    expect(await db('approvals').where({ code_run_id: id, status: 'pending' })).toEqual([]);
    expect(await db('activity').where({ code_run_id: id, type: 'code_run.canceled' })).toMatchObject([
      { actor_type: 'user', actor_id: admin.id },
    ]);
  });

  test('an ended run shows its ending and cannot be canceled', async () => {
    const id = await aRunIn(bed, 'executed');
    expect((await admin.get(`/runs/${id}/cancel`)).location).toMatch(new RegExp(`/app/runs/${id}$`));
    expect((await admin.post(`/runs/${id}/cancel`)).status).toBe(303);
    expect((await admin.get(`/runs/${id}`)).text).toMatch(/Nothing was canceled\. This run has ended already: it is executed\./);
  });

  test('an overlong reason is refused and stays in the form', async () => {
    const id = await aRunIn(bed, 'waiting');
    const { status, text, html } = await admin.post(`/runs/${id}/cancel`, { reason: 'w'.repeat(5000) });
    expect([status, text]).toEqual([400, expect.stringContaining('Nothing changed.')]);
    expect(html).toContain('w'.repeat(5000));
    expect((await admin.get(`/runs/${id}`)).text).toContain('Waiting for people');
  });

  test('a viewer sees no form to cancel a run', async () => {
    expect((await viewer.get(`/runs/${await aRunIn(bed, 'waiting')}`)).html).not.toContain('/cancel');
  });
});
