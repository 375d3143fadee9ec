import { anApprovalOf, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { aRun } from './page-records.ts';
import { aLongProgram, aPlan, aProgramWithHistory, CODE } from './page-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

const codeOf = (html: string) =>
  [...html.matchAll(/<td><code>(.*?)<\/code>/g)].map(([, line]) =>
    line!
      .replace(/<\/?span[^>]*>/g, '')
      .replace(/&quot;/g, '"')
      .replace(/&#(?:x27|39);/g, "'")
      .replace(/&gt;/g, '>')
      .replace(/&lt;/g, '<')
      .replace(/&amp;/g, '&'),
  );

test('a program is shown line by line; gated calls link to their lines and back', async () => {
  const { text, html } = await read(linkOf(bed, await aProgramWithHistory(bed)));
  const shown = codeOf(html);
  expect(shown).toHaveLength(15);
  CODE.split('\n').forEach((line, index) => {
    if (!line.includes('sk_live')) expect(shown[index]).toBe(line);
  });
  expect(html).toMatch(/<tr id="line-10" class="gated"><th scope="row">10<\/th>/);
  expect(html).toMatch(/<tr id="line-14" class="gated">.*href="#call-3"/);
  expect(html).toMatch(/<li id="call-3" tabindex="-1">\s*<p class="call">.*<a href="#line-14">line 14<\/a>/);
  expect(html).not.toMatch(/<tr id="line-2" class/);
  expect(text).toContain('needs approval: mail.send_email');
  expect(html).toMatch(/<div class="code" tabindex="0" role="region" aria-label="The program, 15 lines">/);
});

test('if the input is not known yet, the page says that approving permits any input', async () => {
  const { text } = await read(linkOf(bed, await aProgramWithHistory(bed)));
  expect(text).toContain(
    "mail.send_email needs approval may run several times line 10 We can't see what this sends. Your yes allows mail.send_email with any input, each time the program repeats it, on this line or another.",
  );
  expect(text).toContain(
    'Approve: it goes on, within 1 hour. Calls shown with input run exactly so; the others may send anything. All other calls are checked again.',
  );
  expect(text).toContain('Reject: stops the program. The requester can start it again.');
});

test('the page hides secrets in the code and shows the hash of the code', async () => {
  const approval = await aProgramWithHistory(bed);
  const { text, html } = await read(linkOf(bed, approval));
  expect(html).not.toContain('sk_live_');
  expect(text).toContain('Values that look secret are hidden in line 3.');
  expect(text).toContain(`This is the code that runs. SHA-256: ${approval.inputPreview.codeHash}`);
});

test('code with a different hash than the recorded one is reported as another program', async () => {
  const approval = await aPlan(bed, null, CODE);
  await bed.gateway.db('code_runs').where({ id: approval.codeRunId! }).update({ code_hash: 'f00d' });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('This is not the program of the request');
  expect(text).not.toContain('This is the code that runs');
});

test('the approval of a program’s call shows the program', async () => {
  const { id } = await aRun(bed, 'return await svc.http.send_request({ url: input });');
  const approval = await anApprovalOf(bed, { url: 'https://example.com' }, { codeRunId: id, callNumber: 1, source: 'mcp_code' });
  const { text, html } = await read(linkOf(bed, approval));
  expect(text).toContain('The program that makes this call Show one line');
  expect(text).toContain('Call 2 of a running program');
  expect(codeOf(html)).toEqual(['return await svc.http.send_request({ url: input });']);
  expect(text).toContain('Approve: the program may resume within 1 hour and make exactly this call, once.');
  expect(text).toContain('Reject: stops the program before this call.');
});

test('long code is cut and marked as cut', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `step(${index});`).join('\n');
  const { text, html } = await read(linkOf(bed, await aPlan(bed, null, many)));
  expect(codeOf(html).at(-1)).toBe('step(999);');
  expect(text).toContain('Not all of the program is shown. 2,000 more lines are left out.');
  const wide = await read(linkOf(bed, await aPlan(bed, null, `const a = 1; // ${'word '.repeat(20_000)}\nreturn a;`)));
  expect(wide.text).toContain('[the rest of this line is not shown]');
  expect(wide.text).toContain('One line is cut.');
  expect(codeOf(wide.html)[1]).toBe('return a;');
});

test('the code around every gated call is shown and marked, even after many lines', async () => {
  const { html } = await read(linkOf(bed, await aLongProgram(bed)));
  expect(codeOf(html)).toEqual(expect.arrayContaining([...CODE.split('\n').slice(8, 12)]));
  expect(html).toMatch(/<tr id="line-1210" class="gated">.*href="#call-2"/);
  expect(html).toContain('<a href="#line-1210">line 1210</a>');
  expect(html).toMatch(/aria-label="Of the program, lines 12\d\d to 1215">/);
  expect(html).not.toContain('sk_live_');
});

test('a gated call after long or invisible text is shown with its surroundings', async () => {
  const far = `step("${'word '.repeat(3000)}"); const token = "sk_live_abcdefghijklmnop1234"; await svc.mail.send_email({ to: "evil" }); ${'step();'.repeat(900)}`;
  const hidden = `/*${'\u200b'.repeat(400)}\u202e*/ await svc.mail.send_email({ to: "evil" });`;
  for (const code of [far, hidden]) {
    const { html } = await read(linkOf(bed, await aPlan(bed, null, code)));
    const [, excerpt] = codeOf(html);
    expect(excerpt).toMatch(/await svc.mail.send_email\(\{ to: "evil" \}\);/);
    expect(html.match(/id="line-1"/g)).toHaveLength(1);
    expect(html).not.toMatch(/sk_live_|\u200b|\u202e/);
  }
});

test('the page names a gated call whose input is cut', async () => {
  const { text } = await read(linkOf(bed, await aLongProgram(bed)));
  expect(text).toContain('Not everything that would be sent is shown. The input of call 3 is too long.');
  expect(text).toContain('Its input has 9,000 characters. 480 of them are shown here.');
  expect(text).toContain('crm.list_customers line 1202 Its input has 2,000 characters. None of them are shown here.');
  expect(text).toContain('each time the program repeats it, on this line or another.');
});

test('a deleted program is reported as deleted', async () => {
  const approval = await aPlan(bed, null, CODE);
  await bed.gateway.db('code_runs').where({ id: approval.codeRunId! }).delete();
  const { status, text } = await read(linkOf(bed, approval));
  expect(status).toBe(200);
  expect(text).toContain('The code was deleted.');
});
