import { anApproval, decide, letTimePass, linkOf, openPages, type PageBed, read } from './page-bed.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

test('all invalid links get the same 404', async () => {
  const [approval, other, dashboardOnly] = await Promise.all([
    anApproval(bed),
    anApproval(bed),
    anApproval(bed, { approvalAccessMode: 'dashboard_only' }),
  ]);
  const link = linkOf(bed, approval);
  const token = new URL(link).searchParams.get('token')!;
  const foreign = new URL(linkOf(bed, other)).searchParams.get('token')!;
  const unknown = linkOf(bed, { id: `apr_${'0'.repeat(22)}` });
  const page = `${bed.origin}/approve/${approval.id}`;
  const nothing = [
    page,
    `${page}?token=`,
    `${page}?token=${foreign}`,
    `${page}?token=${token}x`,
    `${page}?token=${token.slice(0, -1)}`,
    `${page}?token=${token.toLowerCase()}`,
    `${page}?token=${token}&token=${token}`,
    `${page}?token=${'a'.repeat(5000)}`,
    `${page}?token=%00%ff`,
    `${page}/?token=${token}`,
    `${page}/more?token=${token}`,
    `${bed.origin}/approve?token=${token}`,
    `${bed.origin}/approve/?token=${token}`,
    `${bed.origin}/approve/%E0%A4%A?token=${token}`,
    `${bed.origin}/approve/..%2f..%2fetc?token=${token}`,
    unknown,
    linkOf(bed, dashboardOnly),
  ];
  const answers = await Promise.all(nothing.map(read));
  expect(answers.map(({ status }) => status)).toEqual(nothing.map(() => 404));
  expect(new Set(answers.map(({ html }) => html)).size).toBe(1);
  expect(answers[0]!.text).toContain('This link does not work');
  expect((await read(link)).status).toBe(200);
});

test('an invalid link cannot decide', async () => {
  const [approval, other, dashboardOnly] = await Promise.all([
    anApproval(bed),
    anApproval(bed),
    anApproval(bed, { approvalAccessMode: 'dashboard_only' }),
  ]);
  const foreign = new URL(linkOf(bed, other)).searchParams.get('token')!;
  const page = `${bed.origin}/approve/${approval.id}`;
  const answers = [
    await decide(page, 'approve'),
    await decide(page, 'approve', { token: foreign }),
    await decide(linkOf(bed, dashboardOnly), 'approve'),
    await decide(`${bed.origin}/approve`, 'approve'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  const rows = await bed.gateway.db('approvals').whereIn('id', [approval.id, dashboardOnly.id]).select('status');
  expect(rows).toEqual([{ status: 'pending' }, { status: 'pending' }]);
});

test('a form without the token gets 404, even with the token in the address', async () => {
  const approval = await anApproval(bed);
  const answer = await fetch(linkOf(bed, approval), {
    method: 'POST',
    body: new URLSearchParams({ decision: 'approve' }),
    redirect: 'manual',
  });
  expect(answer.status).toBe(404);
});

test('a hosted_link_only request can be opened by its link', async () => {
  const approval = await anApproval(bed, { approvalAccessMode: 'hosted_link_only' });
  expect((await read(linkOf(bed, approval))).status).toBe(200);
});

test('GET and HEAD with a decision change nothing', async () => {
  const [pending, overdue] = await Promise.all([anApproval(bed), anApproval(bed)]);
  await letTimePass(bed, overdue.id);
  const tables = ['approvals', 'receipts', 'outbox', 'webhook_deliveries', 'calls'];
  const everything = () => Promise.all(tables.map((table) => bed.gateway.db(table).select('*').orderBy(1)));
  const before = await everything();
  for (const approval of [pending, overdue]) {
    const link = `${linkOf(bed, approval)}&decision=approve&reason=x&_method=POST`;
    for (const method of ['GET', 'HEAD'] as const) {
      const answers = await Promise.all([1, 2, 3].map(() => fetch(link, { method, headers: { 'X-HTTP-Method-Override': 'POST' } })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    }
  }
  expect(await everything()).toEqual(before);
});

test('HEAD returns the headers of GET without a body', async () => {
  const link = linkOf(bed, await anApproval(bed));
  const answer = await fetch(link, { method: 'HEAD' });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test.each(['application/json', 'image/*', 'text/plain', '*/*;q=0', 'nonsense'])(
  'a request with Accept %s gets the HTML page',
  async (accept) => {
    const approval = await anApproval(bed);
    const answer = await fetch(linkOf(bed, approval), { headers: { Accept: accept, 'Sec-Purpose': 'prefetch', Purpose: 'prefetch' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await bed.gateway.db('approvals').where({ id: approval.id }).first()).status).toBe('pending');
  },
);
