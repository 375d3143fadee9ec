import { changeSurface } from '../../../commands/surfaces/change-surface.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { CodeRunResult } from '../../../domain/code-run.ts';
import { deletePartial, insertPartial, updatePartial } from '../../../store/partials.ts';
import { type JournalCall, recordRun } from '../../support/record-run.ts';
import { openTableContents } from '../../support/table-contents.ts';
import { anApprovalOf, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { aMember, approve, aRun, asPerson } from './page-records.ts';
import { aPlan, aProgramWithHistory, CODE, SLACK } from './page-states.ts';
import { aLaterRequest, RESULT, RUN_STATES, runLinkOf } from './run-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

test.each([
  ['waiting', ['Waiting for people', 'One request is undecided.', 'Not available until the program ends.']],
  ['running', ['The program is running. Reload this page', 'mail.send_email under way', 'If its answer is lost, the call is not repeated']],
  [
    'executed',
    ['Ran to its end', '4 calls: 4 succeeded', 'after 120 ms, took 210 ms', 'two customers have not paid', 'Decided by A reviewer'],
  ],
  ['failed', ['ACTION_FAILED in line 14 : Slack does not know', 'slack.send_channel_message failed', 'Its calls are not undone.']],
  ['rejected', ['APPROVAL_REJECTED', 'This channel is public.', 'because one of its requests was rejected']],
  ['expired', ['APPROVAL_EXPIRED', 'a request was not decided, or an approval not used, in time']],
  ['canceled', ['The program was canceled.', 'mail.send_email not answered', 'The call may have taken effect.']],
  ['with an unknown outcome', ['But the outcome of one call is unknown', 'it is unknown whether it took effect. It was not repeated.']],
  [
    'over its retention',
    [
      'Result Deleted: the retention period is over.',
      'Deleted: the retention period is over',
      'Ran to its end',
      'Please pay within 14 days.',
    ],
  ],
])('the page states the status of a run: %s', async (name, sentences) => {
  const { status, text } = await read(await RUN_STATES[name]!(bed));
  expect(status).toBe(200);
  for (const sentence of sentences) expect(text).toContain(sentence);
});

test('calls and lines link to each other', async () => {
  const { html } = await read(await RUN_STATES.executed!(bed));
  expect(html).toMatch(/<li id="call-2" tabindex="-1" value="2">\s*<p class="call">.*<a href="#line-10">line 10<\/a>/);
  expect(html).toMatch(/<tr id="line-10" class="called">.*href="#call-2".*2 succeeded: <span dir="auto">mail.send_email/);
  expect(html).not.toMatch(/<tr id="line-9" class/);
});

describe('readers of a run', () => {
  /** `closed` is dashboard_only: only its personal links work. */
  async function aSharedRun(): Promise<{ open: Approval; closed: Approval }> {
    const open = await aProgramWithHistory(bed);
    const closed = await anApprovalOf(
      bed,
      { note: 'zq-closed-input' },
      { ...SLACK, ...closedTo(open), codeRunId: open.codeRunId, callNumber: 1 },
    );
    const outcome = { ok: true, output: 'zq-closed-answer' } as const;
    const later = { number: 2, tool: 'crm.list_customers', line: 2, input: { a: 'zq-closed-later' } } as const;
    const calls: JournalCall[] = [
      { ...later, status: 'succeeded', outcome: { ok: true, output: 'zq-closed-later-answer' } },
      { ...later, number: 3, status: 'failed', outcome: { ok: false, error: { code: 'ACTION_FAILED', message: 'zq-closed-later-words' } } },
      {
        number: 0,
        tool: 'crm.list_customers',
        status: 'succeeded',
        line: 2,
        input: { a: 'zq-open-input' },
        outcome: { ok: true, output: 'zq-open' },
      },
      { number: 1, tool: 'slack.send', status: 'succeeded', input: { note: 'zq-closed-input' }, outcome, approvalId: closed.id },
    ];
    const result: CodeRunResult = { ...RESULT, output: 'zq-closed-output', logs: [{ ...RESULT.logs[0]!, message: 'zq-closed-log' }] };
    await recordRun(bed.gateway.db, { ...open, id: open.codeRunId! }, { status: 'executed', calls, result });
    await approve(bed, closed);
    return { open, closed };
  }
  const closedTo = ({ mcpServerId }: Approval) => ({ mcpServerId, approvalAccessMode: 'dashboard_only', source: 'mcp_code' }) as const;

  test('link holders do not see the parts of a run that a dashboard_only approval hides; members do', async () => {
    const { open } = await aSharedRun();
    const byLink = await read(runLinkOf(bed, open));
    expect(byLink.text).toContain('zq-open-input');
    expect(byLink.text).toContain('part of this run is visible to members of the organization only');
    expect(byLink.html).not.toMatch(/zq-closed|Checked with Ada/);
    const byMember = await read(asPerson(bed, open, await aMember(bed, 'member')).replace('?', '/run?'));
    for (const shown of [
      'zq-closed-later',
      'zq-closed-later-answer',
      'zq-closed-later-words',
      'zq-closed-input',
      'zq-closed-answer',
      'zq-closed-output',
      'zq-closed-log',
      'Checked with Ada.',
    ])
      expect(byMember.text).toContain(shown);
  });

  test('links of other approvals, of dashboard_only approvals and of deleted runs do not work', async () => {
    const { open, closed } = await aSharedRun();
    const other = await aProgramWithHistory(bed);
    const alone = await anApprovalOf(bed, { a: 1 });
    const gone = await aPlan(bed, null, CODE);
    await bed.gateway.db('code_runs').where({ id: gone.codeRunId! }).delete();
    const nobody = `${bed.origin}/approve/apr_nothing/run?token=x`;
    const wrong = runLinkOf(bed, open).replace(open.id, other.id);
    const links = [nobody, wrong, runLinkOf(bed, closed), runLinkOf(bed, alone), runLinkOf(bed, gone), runLinkOf(bed, open).split('?')[0]!];
    for (const link of links) {
      const { status, text } = await read(link);
      expect([link, status]).toEqual([link, 404]);
      expect(text).toContain('This link does not work');
    }
  });

  test('link holders read that a member decided; members can read the name', async () => {
    const member = await aMember(bed, 'admin');
    const approval = await aProgramWithHistory(bed);
    await bed.gateway
      .db('approvals')
      .where({ id: approval.id })
      .update({ status: 'approved', decided_by_type: 'user', decided_by_id: member.id });
    const later = await aLaterRequest(bed, approval);
    expect((await read(runLinkOf(bed, later))).text).toContain('Decided by A member of the organization');
    const colleague = await aMember(bed, 'member', 'Ada Lovelace');
    expect((await read(asPerson(bed, later, colleague).replace('?', '/run?'))).text).toContain('Decided by Grace Hopper');
    expect((await read(asPerson(bed, later, member).replace('?', '/run?'))).text).toContain('Decided by You');
  });

  test('the page of an approval links to its run with the same credentials', async () => {
    const approval = await aProgramWithHistory(bed);
    const { html } = await read(linkOf(bed, approval));
    const href = /<a href="([^"]*\/run\?[^"]*)">/.exec(html)![1]!.replaceAll('&amp;', '&');
    expect(new URL(href, linkOf(bed, approval)).href).toBe(runLinkOf(bed, approval));
    expect((await read(linkOf(bed, await anApprovalOf(bed, { a: 1 })))).html).not.toContain('/run?');
    const run = await aRun(bed, CODE);
    const call = await anApprovalOf(bed, { a: 1 }, { ...SLACK, codeRunId: run.id, callNumber: 1, source: 'mcp_code' });
    expect((await read(linkOf(bed, call))).html).toContain(`${call.id}/run?token=`);
  });
});

test('enforced values of a partial (preset) stay hidden in a run after the partial is changed or deleted', async () => {
  const [old, now] = ['zq-enforced-before', 'zq-enforced-after'];
  const { orgId, workspaceId } = bed.org;
  const target = { integrationName: 'kv-store', workspaceIntegrationId: null, actionName: null, triggerName: null };
  const text = { name: 'Where', description: null, isDefault: false };
  const { db } = bed.gateway;
  const partial = await insertPartial(db, {
    orgId,
    workspaceId,
    ...target,
    ...text,
    values: { key: old, free: 'zq-free' },
    enforcedKeys: ['key'],
  });
  const approval = await aProgramWithHistory(bed);
  const words = `${old} and ${now}`;
  const calls: JournalCall[] = [
    { number: 0, tool: 'crm.list', status: 'succeeded', outcome: { ok: true, output: { words, free: 'zq-free' } } },
    { number: 1, tool: 'crm.list', status: 'failed', outcome: { ok: false, error: { code: 'ACTION_FAILED', message: words } } },
  ];
  const result: CodeRunResult = { ...RESULT, output: words, logs: [{ ...RESULT.logs[0]!, message: words }] };
  await recordRun(db, { ...approval, id: approval.codeRunId! }, { status: 'executed', calls, result });
  const change = (work: () => Promise<unknown>) => changeSurface(db, workspaceId, work);
  await change(() => updatePartial(db, orgId, partial.id, { values: { key: now } }));
  await change(() => updatePartial(db, orgId, partial.id, { name: 'Elsewhere' }));
  await change(() => deletePartial(db, orgId, partial.id));
  const { html, text: shown } = await read(runLinkOf(bed, approval));
  expect(html).not.toMatch(/zq-enforced/);
  expect(shown).toContain('[redacted] and [redacted]');
  expect(shown).toContain('zq-free');
  expect(await db('past_partials').where({ workspace_id: workspaceId })).toHaveLength(2);
});

test('deleting a workspace deletes its past partials', async () => {
  const { db } = bed.gateway;
  const [{ id }] = await db('workspaces').insert({ org_id: bed.org.orgId, name: 'Gone', slug: 'gone' }).returning('id');
  const row = { org_id: bed.org.orgId, workspace_id: id, integration_name: 'http', values: '{"a":"x"}', enforced_keys: ['a'] };
  await db('partials').insert([
    { ...row, name: 'One' },
    { ...row, name: 'Two' },
  ]);
  await db('partials').where({ workspace_id: id, name: 'One' }).delete();
  expect(await db('past_partials').where({ workspace_id: id })).toHaveLength(1);
  await db('workspaces').where({ id }).delete();
  expect(await db('past_partials').where({ workspace_id: id })).toEqual([]);
});

test('invisible and bidirectional characters in a run’s code are escaped', async () => {
  const approval = await aPlan(bed, null, '/* \u202egnp\u200b */ return\u00ad 1; // \u2066\ufeff');
  const { html, text } = await read(runLinkOf(bed, approval));
  expect(text).toContain('/* \\u{202e}gnp\\u{200b} */');
  expect(html).not.toMatch(/[\u202e\u200b\u00ad\u2066\ufeff]/);
});

test('the page is read-only, and reading it changes nothing', async () => {
  const link = await RUN_STATES.waiting!(bed);
  const contents = await openTableContents(bed.gateway.db, []);
  const before = await contents();
  await read(link);
  expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
  const body = new URLSearchParams({ token: new URL(link).searchParams.get('token')!, decision: 'approve' });
  const posted = await fetch(link, { method: 'POST', body, headers: { 'Sec-Fetch-Site': 'same-origin' } });
  expect([posted.status, posted.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
  expect(await contents()).toEqual(before);
});

test('the page has the headers of hosted pages, and shows no secrets or markup', async () => {
  const approval = await aProgramWithHistory(bed);
  const key = 'sk_live_abcdefghijklmnop1234';
  const evil = `</code></pre><script>alert(1)</script> ${key}`;
  const calls: JournalCall[] = [
    { number: 0, tool: 'crm.<b>', status: 'succeeded', line: 2, input: { [evil]: 'x' }, outcome: { ok: true, output: { [evil]: evil } } },
    { number: 1, tool: 'crm.list', status: 'failed', outcome: { ok: false, error: { code: 'ACTION_FAILED', message: evil } } },
  ];
  const log = { level: 'error', message: evil, timestamp: RESULT.logs[0]!.timestamp } as const;
  const result = { ...RESULT, output: [evil], logs: [log], error: { code: 'CODE_ERROR', message: evil } };
  await recordRun(bed.gateway.db, { ...approval, id: approval.codeRunId! }, { status: 'executed', calls, result });
  const { html, headers } = await read(runLinkOf(bed, approval));
  expect(html).not.toMatch(/<script|<b>|sk_live/);
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'/,
  );
  for (const [name, value] of [
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ['x-robots-tag', 'noindex, nofollow, noarchive'],
  ])
    expect(headers.get(name!)).toBe(value);
});
