import { CODE_RUN } from '../../../../../domain/limits.ts';
import { openTableContents } from '../../../../support/table-contents.ts';
import { type ApiBed, openApiBed } from '../../../api-bed.ts';
import { type AppMember, aMember } from '../app-bed.ts';
import { aReplayableRun, aRunIn, REPLAYABLE } from './run-records.ts';

let bed: ApiBed;
let admin: AppMember;
let id: string;
beforeAll(async () => {
  bed = await openApiBed();
  admin = await aMember(bed, 'admin');
  id = await aReplayableRun(bed);
});
afterAll(() => bed.close());

const offered = (html: string) =>
  /<textarea id="program-text"[^>]*>\n([\s\S]*?)<\/textarea>/
    .exec(html)![1]!
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
const replay = (program: string) => admin.post(`/runs/${id}/replay`, { program });

test('the form contains the run’s program, and an unchanged replay ends like the run', async () => {
  const { html } = await admin.get(`/runs/${id}/replay`);
  expect(offered(html)).toBe(REPLAYABLE.replace('sk_live_abcdefghijklmnop1234', '[redacted]'));
  expect(html).toContain('<label for="program-text">Program</label>');
  const { status, text, html: result } = await replay(offered(html));
  expect([status, text]).toEqual([200, expect.stringContaining('Nothing differs: the same calls, the same end.')]);
  expect(result).toContain('<section class="card outcome good" aria-labelledby="result"');
  expect(text).toMatch(/1 crm\.list, line 2 1 crm\.list, line 2 Same/);
  expect(text).toMatch(/Recorded sent 2 .*sent 2.*Replayed sent 2 .*sent 2/);
  expect(result).not.toContain('sk_live');
});

test('the first difference is marked with both inputs; the form keeps its values', async () => {
  const program = "await svc.crm.list({ unpaid: true }); await svc.mail.send({ to: 'eve@example.com' }); return 1";
  const { text, html } = await replay(program);
  expect(text).toContain('The first difference is call 2 mail.send, line 1: another input.');
  expect(text).toContain('The replay stopped where the record has no answer.');
  expect(text).toMatch(
    /First difference Another input\. The record has no answer to it\. Input Recorded input to ada@example\.com Input of the replay to eve@example\.com/,
  );
  expect(text).toContain('3 mail.send, line 3 – Not reached.');
  expect(html.match(/class="first-difference"/g)).toHaveLength(1);
  expect(offered(html)).toBe(program);
});

test('a different output or an error is shown beside the recorded output', async () => {
  const other = await replay(REPLAYABLE.replace('{ sent: customers.length }', "'<b>other</b>'"));
  expect(other.text).toMatch(/The calls are the same\. The end differs\..*Recorded sent 2.*Replayed <b>other<\/b>/);
  expect(other.html).not.toContain('<b>');
  expect((await replay("throw new Error('zq-why')")).text).toMatch(
    /The first difference is call 1 crm\.list, line 2: the replay does not make it\..*CODE_ERROR : zq-why/,
  );
});

test('a long program can be replayed; an overlong one is refused and stays in the form', async () => {
  const comment = `// ${'\u20ac'.repeat(30_000)}\n`;
  expect((await replay(comment + REPLAYABLE)).text).toContain('Nothing differs');
  const long = `return 1;${' '.repeat(CODE_RUN.codeMaxBytes)}`;
  const { status, text, html } = await replay(long);
  expect([status, text]).toEqual([400, expect.stringContaining('Nothing was replayed. Program : The program is larger than 256 kB.')]);
  expect(offered(html)).toBe(long);
  expect((await replay('  ')).text).toContain('The program is missing.');
});

test('a hostile program is shown as text, and its long output is cut', async () => {
  const { status, html } = await replay(
    `console.log('<script>x</script>\\u202e'); return { ['<img>']: 'w'.repeat(900_000) }; // </textarea><script>`,
  );
  expect(status).toBe(200);
  expect(html).not.toMatch(/<script>|<img>|\u202e/);
  expect(html.length).toBeLessThan(200_000);
});

test('a replay changes only the audit trail', async () => {
  const contents = await openTableContents(bed.gateway.db, ['member_sessions.seen_at', 'member_sessions.last_seen_at']);
  const others = async () => Object.entries(await contents()).filter(([table]) => !table.startsWith('activity'));
  const before = await others();
  await replay(REPLAYABLE);
  expect(await others()).toEqual(before);
});

test.each([
  ['waiting', 'The run has not ended yet.'],
  ['over its retention', 'their retention period is over.'],
])('the page of a run that is %s says why the run cannot be replayed', async (state, why) => {
  const other = await aRunIn(bed, state);
  await bed.gateway.db('code_runs').where({ id: other }).update({ clock_started_at: bed.gateway.db.fn.now(), replay_version: 1 });
  const { status, text, html } = await admin.get(`/runs/${other}/replay`);
  expect([status, text]).toEqual([200, expect.stringContaining(`This run can’t be replayed. `)]);
  expect(text).toContain(why);
  expect(html).not.toContain('<textarea');
  expect((await admin.post(`/runs/${other}/replay`, { program: 'return 1' })).status).toBe(400);
});

test('a viewer and a reviewer cannot replay', async () => {
  for (const role of ['viewer', 'member'] as const) {
    const member = await aMember(bed, role);
    expect((await member.get(`/runs/${id}`)).html).not.toContain('/replay');
    expect((await member.post(`/runs/${id}/replay`, { program: 'return 1' })).status).toBe(403);
  }
});
