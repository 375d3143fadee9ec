import { anApprovalOf, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { aLongProgram, aPlan, aProgramWithHistory, aRun, CODE } from './page-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
}, 120_000);
afterAll(() => bed?.close());

/** The lines of code on a page, without marks. */
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

test('a program is shown line by line, with the calls that need approval marked and linked both ways', async () => {
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

test('what a reviewer agrees to is said: any input where none is known', async () => {
  const { text } = await read(linkOf(bed, await aProgramWithHistory(bed)));
  expect(text).toContain(
    'mail.send_email needs approval may run several times line 10 Its input is not known before it runs. Approving permits it with any input.',
  );
  expect(text).toContain('Approve: The program may run within 1 hour and make the calls that this approval covers');
  expect(text).toContain('Reject: The program does not go on.');
});

test('secrets in the code are hidden and named by line, and the hash of all of it stands below', async () => {
  const approval = await aProgramWithHistory(bed);
  const { text, html } = await read(linkOf(bed, approval));
  expect(html).not.toContain('sk_live_');
  expect(text).toContain('Values that look secret are hidden in line 3.');
  expect(text).toContain(`This is the code that runs. SHA-256 of all of it: ${approval.inputPreview.codeHash}`);
});

test('code that does not have the recorded hash is said to be another', async () => {
  const approval = await aPlan(bed, null, CODE);
  await bed.gateway.db('code_runs').where({ id: approval.codeRunId! }).update({ code_hash: 'f00d' });
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain('This is not the program that was asked about');
  expect(text).not.toContain('This is the code that runs');
});

test('a call of a program shows the program that makes it', async () => {
  const { id } = await aRun(bed, 'return await svc.http.send_request({ url: input });');
  const approval = await anApprovalOf(bed, { url: 'https://example.com' }, { codeRunId: id, callNumber: 1, source: 'mcp_code' });
  const { text, html } = await read(linkOf(bed, approval));
  expect(text).toContain('The program that makes this call Show its one line');
  expect(codeOf(html)).toEqual(['return await svc.http.send_request({ url: input });']);
  expect(text).toContain('Approve: The program may go on within 1 hour and make exactly this call, once.');
  expect(text).toContain('Reject: This call is not made, and the program ends.');
});

test('long code is cut and says so', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `step(${index});`).join('\n');
  const { text, html } = await read(linkOf(bed, await aPlan(bed, null, many)));
  expect(codeOf(html).at(-1)).toBe('step(999);');
  expect(text).toContain('This is not all of it. 2,000 more lines are too many to show here.');
  const wide = await read(linkOf(bed, await aPlan(bed, null, `const a = 1; // ${'word '.repeat(20_000)}\nreturn a;`)));
  expect(wide.text).toContain('[the rest of this line is not shown]');
  expect(wide.text).toContain('One line is cut.');
  expect(codeOf(wide.html)[1]).toBe('return a;');
});

test('the surroundings of every gated call are shown, with its mark, however much code stands before it', async () => {
  const { html } = await read(linkOf(bed, await aLongProgram(bed)));
  expect(codeOf(html)).toEqual(expect.arrayContaining([...CODE.split('\n').slice(8, 12)]));
  expect(html).toMatch(/<tr id="line-1210" class="gated">.*href="#call-2"/);
  expect(html).toContain('<a href="#line-1210">line 1210</a>');
  expect(html).toMatch(/aria-label="Of the program, lines 12\d\d to 1215">/);
  expect(html).not.toContain('sk_live_');
});

test('a gated call far to the right, or behind characters that nobody sees, is shown with what stands around it', async () => {
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

test('where an input of a call under this approval is not shown whole, the page says how much is missing, and of which call', async () => {
  const { text } = await read(linkOf(bed, await aLongProgram(bed)));
  expect(text).toContain('Not all that would be sent is shown: the input of call 3 is too long to be shown whole.');
  expect(text).toContain('Its input is 9,000 characters; 480 of them are shown here.');
  expect(text).toContain('crm.list_customers line 1202 Its input is 2,000 characters, and none of them are shown here.');
  expect(text).toContain('Whichever call of this action the program makes first uses that, in this line or in another.');
});

test('a program that is not kept any more is said to be gone', async () => {
  const approval = await aPlan(bed, null, CODE);
  await bed.gateway.db('code_runs').where({ id: approval.codeRunId! }).delete();
  const { status, text } = await read(linkOf(bed, approval));
  expect(status).toBe(200);
  expect(text).toContain('It is not kept any more.');
});
