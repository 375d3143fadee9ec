import { type MailBed, openMailBed } from '../../../actions/mail-bed.ts';
import { type AppMember, aMember } from '../app-bed.ts';

let bed: MailBed;
let admin: AppMember;
let workspaceId: string;
beforeAll(async () => {
  bed = await openMailBed();
  admin = await aMember(bed, 'admin');
});
afterAll(() => bed.close());
beforeEach(async () => {
  workspaceId = await bed.enter();
});

const at = (fields: Record<string, string>) => `/playground/action?${new URLSearchParams({ workspace: workspaceId, ...fields })}`;
const SEND = { integration: 'mail', action: 'send' };
const HASH = { integration: 'hash-encode', action: 'hash' };
const act = (fields: Record<string, string>, form: Record<string, string>) => admin.post(at(fields), form);
const policy = (fields: object) =>
  bed.api.must(200).post('/api/v1/approval-policies', {
    ...{ workspaceId, name: 'Ask me', sources: ['rest'], riskMode: 'always', decision: 'require_approval', ...fields },
  });
const fieldOf = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)![1]!.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

test('the URL contains the choices, and each step offers the next', async () => {
  const empty = await admin.get('/playground/action');
  expect(empty.text).toContain('Choose an integration first');
  const chosen = await admin.get(at({ integration: 'mail' }));
  expect(chosen.html).toMatch(/<option value="mail" selected>Mail/);
  expect(chosen.html).toMatch(/<option value="send">Send/);
  const { html } = await admin.get(at(SEND));
  expect(html).toMatch(/<label for="field-input\.to">To<\/label>/);
  expect(html).toMatch(/name="input\.to"[^>]* required/);
  expect(html).not.toMatch(/name="input\.subject"[^>]* required/);
});

test('the field Method lists the HTTP methods, and the field Headers is a text area', async () => {
  const { html } = await admin.get(at({ integration: 'http', action: 'send_request' }));
  expect(html).toMatch(/<select id="field-input\.method"/);
  expect(html).toMatch(/<option value="POST">POST/);
  expect(html).toMatch(/<textarea id="field-input\.headers"/);
});

test('a call runs as the member and is recorded as the member’s call', async () => {
  const { text, status } = await act(HASH, { 'input.text': 'abc', 'input.algorithm': 'sha1', act: 'run' });
  expect(status).toBe(200);
  expect(text).toMatch(/Result It ran in [\d,]+ ms\..*a9993e364706816aba3e25717850c26c9cd0d89d/);
  const call = await bed.gateway.db('calls').where({ workspace_id: workspaceId }).first();
  expect(call).toMatchObject({ requested_by_type: 'user', requested_by_id: admin.id, source: 'rest' });
});

test('"What would happen" describes the outcome and makes no call', async () => {
  await bed.connect('shared');
  await policy({});
  const { text } = await act(SEND, { 'input.to': 'ann@example.com' });
  expect(text).toMatch(/What would happen The call waits for a person\. "Ask me" asks for an approval\./);
  expect(text).toMatch(/Account shared: it is the only shared one\./);
  expect(text).toMatch(/Policies Ask me : Decides: Ask a person\./);
  expect(text).toContain('ann@example.com');
  expect(await bed.gateway.db('approvals').where({ workspace_id: workspaceId })).toEqual([]);
  expect(await bed.gateway.db('calls').where({ workspace_id: workspaceId })).toEqual([]);
});

describe('a held call', () => {
  async function waiting(to = 'ann@example.com') {
    if (to.startsWith('ann')) {
      await bed.connect('shared');
      await policy({});
    }
    const { html, text } = await act(SEND, { 'input.to': to, act: 'run' });
    expect(text).toContain('The call waits for an approval. Nothing was sent yet.');
    const id = /href="[^"]*\/approvals\/(apr_[^"]+)">Decide it/.exec(html)![1]!;
    const fields = { act: 'resume', approval: fieldOf(html, 'approval'), whole: fieldOf(html, 'whole') };
    return { id, resume: () => act(SEND, fields), resumeWith: (whole: string) => act(SEND, { ...fields, whole }) };
  }
  const decide = (id: string, decision: string) => admin.post(`/approvals/${id}/decide`, { decision });
  const made = () => bed.gateway.db('calls').where({ workspace_id: workspaceId, status: 'succeeded' });

  test('a held call is made once after its approval, even by concurrent resumes', async () => {
    const { id, resume } = await waiting();
    expect((await resume()).text).toContain('The call waits for an approval.');
    await decide(id, 'approve');
    const answers = await Promise.all([resume(), resume()]);
    for (const { text } of answers) expect(text).toMatch(/It ran.*ann@example\.com/);
    expect(await made()).toHaveLength(1);
    expect((await resume()).text).toMatch(/It ran/);
    expect(await made()).toHaveLength(1);
  });

  test('a held call is not made after a rejection or with another input', async () => {
    const { id, resume } = await waiting();
    await decide(id, 'reject');
    expect((await resume()).text).toContain('The request was rejected. Nothing was sent.');
    const other = await waiting('bob@example.com');
    await decide(other.id, 'approve');
    expect((await other.resumeWith('{"to":"eve@example.com"}')).text).toContain('IDEMPOTENCY_CONFLICT');
    expect(await made()).toEqual([]);
  });

  test('an unknown or malformed approval id is not found', async () => {
    for (const approval of ['apr_AAAAAAAAAAAAAAAAAAAAAA', 'nonsense', ''])
      expect((await act(SEND, { act: 'resume', approval, whole: '{}' })).status).toBe(404);
  });
});

test.each([
  ['invalid JSON', { headers: '{' }, 'Headers is not valid JSON'],
  ['deeply nested JSON', { headers: `${'['.repeat(5000)}${']'.repeat(5000)}` }, 'Headers is nested deeper than 64 levels'],
  ['a huge number', { timeout: '1e999' }, 'Timeout'],
  ['a text in a number field', { timeout: 'soon' }, 'Timeout must be a number'],
  ['an integer that a double cannot hold', { body: '{"id": 12345678901234567890}' }, 'Body'],
])('%s: no call is made, the error names the field, and the form keeps its values', async (_, typed, problem) => {
  const fields = Object.fromEntries(Object.entries(typed).map(([key, value]) => [`input.${key}`, value as string]));
  const { status, text, html } = await act(
    { integration: 'http', action: 'send_request' },
    { 'input.url': 'https://example.com', ...fields, act: 'run' },
  );
  expect([status, text]).toEqual([400, expect.stringContaining('Nothing ran.')]);
  expect(text).toContain(problem);
  expect(html).toContain('value="https://example.com"');
  expect(html).toContain('aria-invalid="true"');
});

test('a missing input is reported at its field', async () => {
  const { status, html } = await act(HASH, { act: 'run' });
  expect(status).toBe(400);
  expect(html).toMatch(/<a href="#field-input\.text">/);
});

test('the whole input can be entered as JSON', async () => {
  const json = { ...HASH, as: 'json' };
  expect((await act(json, { whole: '{"text":"abc","algorithm":"sha1"}', act: 'run' })).text).toContain(
    'a9993e364706816aba3e25717850c26c9cd0d89d',
  );
  expect((await act(json, { whole: '[1]', act: 'run' })).text).toContain('Input (JSON) must be a JSON object');
  expect((await act(json, { whole: '{"text":1}', act: 'run' })).status).toBe(400);
});

test('an output of a megabyte is cut, and the page says so', async () => {
  await bed.connect('shared');
  const { status, text, html } = await act(SEND, { 'input.to': 'x', 'input.subject': 'x'.repeat(900_000), act: 'run' });
  expect([status, text]).toEqual([200, expect.stringMatching(/The first 200,000 of 900,\d{3} characters of its JSON are shown\./)]);
  expect(html.length).toBeLessThan(3_000_000);
});

test('"As code" quotes the input for a shell, shows the call as program code, and contains no secret', async () => {
  const { text, html } = await act(
    { integration: 'http', action: 'send_request' },
    { 'input.url': "https://example.com/it's", 'input.headers': '{"Authorization":"Bearer abcdefgh12345678"}' },
  );
  expect(text).toContain('Authorization: Bearer $GATEWAY_API_KEY');
  expect(text).toContain("it'\\''s");
  expect(text).toContain('await svc.http.send_request({');
  expect(html.slice(html.indexOf('id="play-code"'))).not.toContain('abcdefgh12345678');
});

test('a person is chosen by id; the call uses the person’s account', async () => {
  await bed.connect('hers', { endUserId: 'ada' });
  await bed.configure({ connectionStrategy: 'per_user' });
  const { id } = await bed.gateway.db('end_users').where({ workspace_id: workspaceId }).first();
  const { text, html } = await act({ ...SEND, person: id }, { 'input.to': 'x', act: 'run' });
  expect(text).toMatch(/It ran.*hers/);
  expect(html).toMatch(new RegExp(`<option value="${id}" selected>ada`));
  expect((await act(SEND, { 'input.to': 'x', act: 'run' })).text).toContain('CONNECTION_REQUIRED');
});

test('unknown ids are not found or not selected', async () => {
  const foreign = '11111111-1111-4111-8111-111111111111';
  expect((await admin.get(`/playground/action?workspace=${foreign}`)).status).toBe(404);
  expect((await admin.post(`/playground/action?workspace=${foreign}&integration=mail&action=send`, { act: 'run' })).status).toBe(404);
  const { html } = await admin.get(at({ ...SEND, person: foreign }));
  expect(html).not.toContain(`value="${foreign}" selected`);
  expect((await act({ integration: 'nothing', action: 'send' }, { act: 'run' })).text).toContain(
    'Choose a workspace, an integration and an action first.',
  );
});

test('hostile names and values are shown as text', async () => {
  const hostile = '"><script>x</script>\u202Egnp';
  const { html } = await act({ ...SEND, as: 'json' }, { whole: JSON.stringify({ to: hostile }), act: 'explain' });
  expect(html).not.toContain('<script>x');
  expect((await admin.get(at({ integration: hostile, action: hostile, person: hostile, alias: hostile }))).status).toBe(200);
});
