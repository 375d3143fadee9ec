import { createOrg } from '../../../../commands/access/create-org.ts';
import { recordActivity } from '../../../../commands/audit/record-activity.ts';
import type { NewActivity } from '../../../../domain/activity.ts';
import { anActivity } from '../../activity/activity-bed.ts';
import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { anApproval } from '../page-bed.ts';
import { type AppMember, aMember, pageBed } from './app-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

async function anOrg(): Promise<{ orgId: string; viewer: AppMember; write(...entries: Partial<NewActivity>[]): Promise<void> }> {
  const { orgId } = await createOrg(bed.gateway, 'Another');
  const viewer = await aMember({ ...bed, orgId }, 'viewer', { name: 'Vera Viewer' });
  return { orgId, viewer, write: (...entries) => recordActivity(bed.gateway.db, ...entries.map((entry) => anActivity(orgId, entry))) };
}

const named = (name: string, fields: Partial<NewActivity> = {}) => ({ details: { name }, ...fields });
const linesOf = (text: string) => text.trim().split(/\r?\n/);
const namesIn = async (viewer: AppMember, query: string) =>
  linesOf((await viewer.get(`/activity/export.jsonl?${query}`)).html)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).details.name)
    .filter((name) => name !== undefined);

test('a row names the event, its actor and its workspace, and links to its subject', async () => {
  const approval = await anApproval(pageBed(bed));
  const admin = await aMember(bed, 'admin', { name: 'Ada <i>Admin</i>' });
  await admin.post(`/approvals/${approval.id}/decide`, { decision: 'reject', reason: '' });
  const { html, text } = await admin.get('/activity?type=approval.rejected');
  expect(text).toMatch(/Rejected.*Ada <i>Admin<\/i>/);
  expect(html).toContain(`<a href="/app/approvals/${approval.id}">Rejected</a>`);
  expect(html).not.toContain('<i>Admin');
  expect((await admin.get('/activity?type=webhook_secret.rotated')).text).toContain('Nothing matches these filters.');
});

test('rows can be filtered by type, actor, days and text', async () => {
  const { viewer, write } = await anOrg();
  await write(
    named('of Vera', { actor: { type: 'user', id: viewer.id } }),
    named('of the service', { actor: { type: 'system', id: null } }),
    named('of a person', { actor: { type: 'end_user', id: 'alice_100%' } }),
    named('typed', { type: 'policy.deleted', integrationName: 'slack' }),
  );
  expect(await namesIn(viewer, 'type=policy.deleted')).toEqual(['typed']);
  expect(await namesIn(viewer, 'who=vera+VIEWER')).toEqual(['of Vera']);
  expect(await namesIn(viewer, `who=${viewer.id}`)).toEqual(['of Vera']);
  expect(await namesIn(viewer, 'who=the+service')).toEqual(['of the service']);
  expect(await namesIn(viewer, 'who=alice_100%25')).toEqual(['of a person']);
  expect(await namesIn(viewer, 'who=alice.100')).toEqual([]);
  expect(await namesIn(viewer, 'text=SLACK')).toEqual(['typed']);
  expect(await namesIn(viewer, 'text=of+a+person&who=alice')).toEqual(['of a person']);
  const today = new Date().toISOString().slice(0, 10);
  const days = `from=2020-01-01&to=${today}`;
  expect((await namesIn(viewer, days)).sort()).toEqual(['of Vera', 'of a person', 'of the service', 'typed']);
  expect(await namesIn(viewer, 'to=2020-01-01')).toEqual([]);
});

test('the pages together show every row; a cursor for other filters is refused', async () => {
  const { viewer, write } = await anOrg();
  await write(...Array.from({ length: 60 }, (_, number) => named(`row ${number}`)));
  for (const filter of ['type=call.blocked', 'text=row', 'who=a+key']) {
    const seen = new Set<string>();
    let path: string | undefined = `/activity?${filter}`;
    let next = '';
    for (let pages = 0; path !== undefined && pages < 3; pages += 1) {
      const { html, status } = await viewer.get(path);
      expect(status).toBe(200);
      for (const [, name] of html.matchAll(/(row \d+)</g)) seen.add(name!);
      path = /href="\/app([^"]+)">Next page/.exec(html)?.[1]?.replaceAll('&amp;', '&');
      next = path ?? next;
    }
    expect(seen.size).toBe(60);
    expect((await viewer.get(next.replace(filter, 'type=call.reused'))).status).toBe(400);
  }
});

test('a search page reads a limited number of rows; later pages find older rows', async () => {
  const { orgId, viewer } = await anOrg();
  await bed.patient.raw(
    `insert into activity (org_id, type, actor_type, details, created_at)
       select :orgId, 'call.blocked', 'system', json_build_object('name', case n when 20001 then 'needle' else 'hay' end),
         now() - n * interval '1 second' from generate_series(1, 20001) n`,
    { orgId },
  );
  const first = await viewer.get('/activity?text=needle&type=call.blocked');
  expect(first.text).toContain('Nothing matches these filters on this page.');
  const next = /href="\/app([^"]+)">Next page/.exec(first.html)![1]!.replaceAll('&amp;', '&');
  const second = await viewer.get(next);
  expect(second.html).toMatch(/needle/);
  expect(second.html).not.toContain('Next page');
  expect(await namesIn(viewer, 'text=needle')).toEqual(['needle']);
});

test('hostile filters cause no error; a hostile page cursor is refused', async () => {
  const { viewer } = await anOrg();
  for (const text of ['\0', "'; drop table activity; --", '%', '_', '\\', '\u202E', 'w'.repeat(7000)])
    for (const key of ['text', 'who', 'type', 'from', 'to', 'page']) {
      const { status } = await viewer.get(`/activity?${new URLSearchParams({ [key]: text })}`);
      expect([key, text.slice(0, 9), status]).toEqual([key, text.slice(0, 9), key === 'page' ? 400 : 200]);
    }
});

test('a CSV export has the page’s filters, and no cell is a formula', async () => {
  const { viewer, write } = await anOrg();
  await write(...['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '＝1'].map((id) => ({ actor: { type: 'end_user', id } as const })), {
    type: 'policy.created',
    details: { name: 'a "quoted", name\nof two lines' },
    actor: { type: 'end_user', id: 'plain' },
  });
  const { html, headers } = await viewer.get('/activity/export.csv?type=call.blocked');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="activity.csv"');
  const lines = html.split('\r\n');
  expect(lines[0]).toMatch(/^id,createdAt,type,actorType,actorId,/);
  expect(lines.slice(1, -1).map((line) => /end_user,("?'[^,]*),/.exec(line)?.[1])).toEqual(
    ["'＝1", '"\'\rx"', "'\tx", "'@SUM(A1)", "'-1", "'+1", "'=1+1"].map((cell) => cell),
  );
  const other = (await viewer.get('/activity/export.csv?type=policy.created')).html;
  expect(other).toContain('"{""name"":""a \\""quoted\\"", name\\nof two lines""}"');
});

test('JSON lines contain the rows of the API, and an export of many pages is complete', async () => {
  const { orgId, viewer } = await anOrg();
  await bed.patient.raw(
    `insert into activity (org_id, type, actor_type, details, created_at)
       select :orgId, 'call.blocked', 'system', json_build_object('name', n), now() - n * interval '1 second' from generate_series(1, 2500) n`,
    { orgId },
  );
  const names = await namesIn(viewer, 'type=call.blocked');
  expect(new Set(names).size).toBe(2500);
  expect(names.slice(0, 3)).toEqual([1, 2, 3]);
  const admin = await aMember(bed, 'admin');
  const [ours] = linesOf((await admin.get('/activity/export.jsonl?type=member.added')).html).filter((line) => line !== '');
  const { activity } = await bed.api.must(200).get('/api/v1/activity?type=member.added&limit=1');
  expect(ours === undefined ? undefined : JSON.parse(ours)).toEqual(activity[0]);
});

test('an export breaks off with a connection error after the session ends', async () => {
  const { orgId, viewer } = await anOrg();
  await bed.patient.raw(
    `insert into activity (org_id, type, actor_type, details) select :orgId, 'call.blocked', 'system', json_build_object('text', repeat('x', 8000))
       from generate_series(1, 12000)`,
    { orgId },
  );
  const answer = await fetch(`${bed.apiUrl}/app/activity/export.jsonl`, { headers: { Cookie: viewer.cookie } });
  const reader = answer.body!.getReader();
  await reader.read();
  await viewer.post('/account/sign-out-everywhere');
  const readOn = async () => {
    while (!(await reader.read()).done);
  };
  await expect(readOn()).rejects.toThrow();
});

test('the page says whether the audit trail is unbroken, or where it is broken', async () => {
  const { orgId, viewer, write } = await anOrg();
  await write(named('first'), named('second'));
  const count = (await bed.gateway.db('activity').where({ org_id: orgId }).pluck('id')).length;
  const whole = await viewer.post('/activity/verify');
  expect([whole.status, whole.location]).toEqual([303, '/app/activity']);
  expect((await viewer.get('/activity')).html).toContain(`role="status">Unbroken: ${count} rows.</p>`);

  await bed.patient.transaction(async (tx) => {
    await tx.raw('alter table activity disable trigger user');
    await tx.raw(`update activity set details = '{"name":"third"}' where org_id = ? and details::text like '%second%'`, [orgId]);
    await tx.raw('alter table activity enable trigger user');
  });
  const broken = await viewer.post('/activity/verify');
  expect(broken.status).toBe(200);
  expect(broken.html).toContain('role="alert"');
  expect(broken.text).toMatch(/The trail is broken\. We found 1 problem.*Row \d+: the hash does not fit/);
});

test('a selected workspace limits an export; other organizations see no rows', async () => {
  const { viewer, write } = await anOrg();
  await write(named('secret of the other'));
  const member = await aMember(bed, 'owner');
  expect((await member.get('/activity')).text).not.toContain('secret of the other');
  expect(await namesIn(member, `workspace=${bed.workspaceId}&text=secret`)).toEqual([]);
  expect((await member.get(`/activity/export.jsonl?workspace=${crypto.randomUUID()}`)).status).toBe(404);
  expect(await namesIn(viewer, 'text=secret')).toEqual(['secret of the other']);
});
