import { describe, expect, test } from '@jest/globals';
import { readDocument } from '../../integrations/declarative/read-document.ts';
import { toIntegration } from '../../integrations/declarative/to-integration.ts';
import type { AuthValue } from '../../integrations/definition.ts';
import { type Fake, openFake, run } from './providers/provider-bed.ts';

const auth: AuthValue = { type: 'SECRET_TEXT', secretText: 't0ken' };

function documentWith(action: object, whole: object = {}): Record<string, unknown> {
  return {
    format: 1,
    displayName: 'Tasks',
    description: 'Plan work',
    categories: ['PROJECT_MANAGEMENT'],
    auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'API token', description: 'From Settings' }],
    baseUrl: 'https://api.tasks.example/v2',
    authenticate: 'bearer',
    ...whole,
    actions: {
      act: {
        displayName: 'Act',
        description: 'Does it',
        category: 'write',
        input: { properties: { a: { type: 'string' }, b: { type: 'object' }, list: { type: 'array' }, n: { type: ['number', 'null'] } } },
        output: {},
        request: { method: 'POST', path: '/act', json: true },
        ...action,
      },
    },
  };
}

function issuesOf(document: unknown): { path: string; line?: number; column?: number; message: string }[] {
  try {
    readDocument(document);
    return [];
  } catch (error) {
    const { code, details } = error as { code: string; details: { issues: { path: string; message: string }[] } };
    expect(code).toBe('DOCUMENT_INVALID');
    return details.issues;
  }
}

async function sent(action: object, input: object, answer: object = { body: {} }, whole: object = {}) {
  const fake: Fake = await openFake('https://api.tasks.example');
  try {
    fake.answers(answer);
    const integration = toIntegration('tasks', readDocument(documentWith(action, whole)));
    const output = await run(integration, 'act', input, { auth, outbound: fake.outbound });
    return { output, seen: fake.seen[0]! };
  } finally {
    await fake.close();
  }
}

describe('an invalid document', () => {
  test.each<[string, object, string, RegExp]>([
    ['an unknown key', { requst: 1 }, '/actions/act/requst', /unknown key "requst"; the keys are displayName/],
    ['an unknown input in a template', { request: { path: '/x', query: { q: '{input.nope}' } } }, '/actions/act/request/query/q', /nope/],
    ['an unknown input in a text', { request: { path: '/x', query: { q: 'a {input.nope} b' } } }, '/actions/act/request/query/q', /nope/],
    ['an unknown input in the path', { request: { path: '/x/{nope}' } }, '/actions/act/request/path', /unknown input "nope"/],
    ['an unknown root', { answer: { x: '{bdy.a}' } }, '/actions/act/answer/x', /unknown name "bdy"/],
    ['an unknown recipient', { recipients: ['to'] }, '/actions/act/recipients/0', /unknown input "to"/],
    [
      'choices of an unknown input',
      { dynamic: { z: { request: { path: '/z' }, label: 'a', value: 'b' } } },
      '/actions/act/dynamic/z',
      /"z"/,
    ],
    ['an unknown type', { output: { type: 'strng' } }, '/actions/act/output/type', /expects one of "string"/],
    ['an invalid pattern', { output: { pattern: '(' } }, '/actions/act/output/pattern', /pattern/],
    ['a pattern that looks back', { output: { pattern: '(?<=a)b' } }, '/actions/act/output/pattern', /pattern/],
    ['a reference to nothing', { output: { $ref: '#/$defs/none' } }, '/actions/act/output/$ref', /no schema/],
    ['a remote reference', { output: { $ref: 'https://a.example/s.json' } }, '/actions/act/output/$ref', /no schema/],
    ['a body in a GET', { request: { path: '/x', json: true } }, '/actions/act/request/json', /no body/],
    ['two bodies', { request: { method: 'POST', path: '/x', json: true, form: true } }, '/actions/act/request/form', /one body/],
    ['a path with a query', { request: { path: '/x?a=b' } }, '/actions/act/request/path', /a path such as/],
    ['an operator without its key', { answer: { $switch: 'a' } }, '/actions/act/answer', /missing key "\$cases"/],
    ['an unknown category', { category: 'wirte' }, '/actions/act/category', /expects one of "read"/],
  ])('%s', (_, action, path, message) => {
    const issues = issuesOf(documentWith(action));
    expect(issues).toContainEqual({ path, message: expect.stringMatching(message) });
  });

  test('the issues of a document in YAML or JSON text have line and column', () => {
    const text = ['format: 1', 'displayName: Tasks', 'description: Plan', 'categoris: [AI]', 'actions: { act: { category: nope } }'].join(
      '\n',
    );
    const issues = issuesOf(text);
    expect(issues).toContainEqual({ path: '/categoris', line: 4, column: 1, message: expect.stringContaining('unknown key "categoris"') });
    expect(issues).toContainEqual({ path: '/actions/act/category', line: 5, column: 29, message: expect.stringContaining('"read"') });
    expect(issues).toContainEqual({ path: '/baseUrl', line: 1, column: 1, message: expect.stringContaining('missing key "baseUrl"') });
    expect(issuesOf('{\n  "format": 2\n}')).toContainEqual({ path: '/format', line: 2, column: 13, message: 'expects 1' });
    expect(issuesOf('a: [1,\nb: }')).toEqual([{ path: '', line: 2, column: expect.any(Number), message: expect.any(String) }]);
  });

  test.each<[string, unknown]>([
    ['values nested deeper than 200', `${'['.repeat(300)}1${']'.repeat(300)}`],
    ['more than 1,000 aliases', `a: &a 1\nb: [${'*a, '.repeat(1100)}]`],
    ['aliases that multiply', Array.from({ length: 25 }, (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1}, *a${i - 1}` : '1'}]`).join('\n')],
  ])('a document with %s is too complex', (_, text) => {
    expect(() => readDocument(text)).toThrow(expect.objectContaining({ code: 'DOCUMENT_TOO_COMPLEX' }));
  });

  test('names of prototype properties are reported as issues', () => {
    expect(issuesOf(JSON.parse(JSON.stringify(documentWith({})).replace('"act":', '"__proto__":'))).length).toBeGreaterThan(0);
    const text = JSON.stringify(documentWith({})).replace('"properties":{', '"properties":{"__proto__":{"type":"string"},');
    expect(issuesOf(JSON.parse(text))).toContainEqual(expect.objectContaining({ path: expect.stringContaining('__proto__') }));
  });
});

describe('templates', () => {
  test('the template `true` stands for all inputs that are not used elsewhere', async () => {
    const request = { method: 'POST', path: '/act/{a}', json: true };
    expect((await sent({ request }, { a: 'x', b: { c: 1 }, n: null })).seen).toMatchObject({
      url: '/v2/act/x',
      body: { b: { c: 1 }, n: null },
    });
  });

  test('a template of a single name keeps the type, and a template within a text inserts text', async () => {
    const json = {
      a: '{input.a}',
      deep: '{input.b.c.d}',
      text: 'x{input.a}y{input.n}',
      none: '{input.b.z}',
      fixed: 5,
      query: '{ viewer { id } }',
    };
    const { seen } = await sent({ request: { method: 'POST', path: '/act', json } }, { a: '1', b: { c: { d: [2] } } });
    expect(seen.body).toEqual({ a: '1', deep: [2], text: 'x1y', fixed: 5, query: '{ viewer { id } }' });
  });

  test('`each` makes a list; operators with $ join, choose and encode', async () => {
    const json = {
      to: { each: 'input.list', as: { address: '{item}', of: '{input.a}' } },
      joined: { $join: '{input.list}', $with: ';' },
      chosen: { $switch: '{input.a}', $cases: { x: 1 }, $else: 2 },
      first: { $first: ['{input.b.z}', '{input.a}'] },
      encoded: { $base64: '{input.a}' },
      on: { $if: { path: 'input.a', equals: 'x' }, $then: 'yes' },
      rest: { '...': true, also: 1 },
    };
    const { seen } = await sent({ request: { method: 'POST', path: '/act', json } }, { a: 'x', list: ['p', 'q'], n: 3 });
    expect(seen.body).toEqual({
      to: [
        { address: 'p', of: 'x' },
        { address: 'q', of: 'x' },
      ],
      joined: 'p;q',
      chosen: 1,
      first: 'x',
      encoded: 'eA==',
      on: 'yes',
      rest: { n: 3, also: 1 },
    });
  });

  test('query, headers and form are templates', async () => {
    const query = { q: '{input.a}', list: '{input.list}' };
    const headers = { 'X-A': 'v {input.a}' };
    const { seen } = await sent(
      { request: { method: 'POST', path: '/act', query, headers, form: { b: '{input.b}' } } },
      { a: 'x y', b: { c: [1, 2] }, list: [1, 2] },
    );
    expect(seen).toMatchObject({ url: '/v2/act?q=x%20y&list=1&list=2', body: 'b%5Bc%5D=1&b%5Bc%5D=2' });
    expect(seen.headers).toMatchObject({ 'x-a': 'v x y', authorization: 'Bearer t0ken' });
  });

  test('a multipart form sends files', async () => {
    const { seen } = await sent(
      { request: { method: 'POST', path: '/act', multipart: { file: '{input.b}', name: '{input.a}' } } },
      { a: 'n', b: { base64: 'aGk=', filename: 'a.txt' } },
    );
    expect(seen.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(seen.body).toMatch(/name="file"; filename="a.txt"\r\n[\s\S]*\r\n\r\nhi\r\n[\s\S]*name="name"\r\n\r\nn\r\n/);
  });

  test('the answer is a template', async () => {
    const output = { properties: { ids: { type: 'array' }, etag: { type: 'string' }, a: { type: 'string' }, gone: { type: 'string' } } };
    const answer = {
      ids: { each: 'body.items', as: '{item.id}', where: { path: 'item.on', equals: true } },
      etag: '{headers.etag}',
      a: '{input.a}',
      gone: '{body.no}',
    };
    const body = {
      items: [
        { id: 1, on: true },
        { id: 2, on: false },
      ],
    };
    const got = await sent({ output, answer }, { a: 'x' }, { headers: { 'content-type': 'application/json', etag: '"e"' }, body });
    expect(got.output).toEqual({ ids: [1], etag: '"e"', a: 'x' });
  });

  test('fields outside the output schema, and nulls that the schema forbids, are dropped', async () => {
    const output = { required: ['id'], properties: { id: { type: 'number' }, name: { type: 'string' }, at: { type: ['string', 'null'] } } };
    expect((await sent({ output }, {}, { body: { id: 1, name: null, at: null, more: 2 } })).output).toEqual({ id: 1, at: null });
    await expect(sent({ output }, {}, { body: { name: 'x' } })).rejects.toMatchObject({ details: { reason: 'unexpected_answer' } });
    expect((await sent({ output: { additionalProperties: true } }, {}, { body: { any: null } })).output).toEqual({ any: null });
  });
});

describe('failures and pages', () => {
  test('in `errors` and `refusals`, places in the answer are dotted paths', async () => {
    const errors = { message: 'error.text', code: 'error.id', unauthorized: ['expired'] };
    const failing = { status: 400, body: { error: { text: 'No', id: 'expired' } } };
    await expect(sent({}, {}, failing, { errors })).rejects.toMatchObject({ details: { code: 'expired', reason: 'unauthorized' } });
    const refusals = { when: { path: 'ok', equals: false }, message: 'why' };
    await expect(sent({}, {}, { body: { ok: false, why: 'Not today' } }, { refusals })).rejects.toMatchObject({
      message: 'Tasks refused: Not today',
    });
    await expect(sent({}, {}, { body: { ok: true, why: 'x' } }, { refusals })).resolves.toBeDefined();
  });

  test.each<[string, unknown, object, object, string | null]>([
    ['a path', 'page.next', { page: { next: 'n1' } }, {}, 'n1'],
    ['the end', 'page.next', { page: { next: '' } }, {}, null],
    ['a parameter of an address', { url: 'next', parameter: 'after' }, { next: 'https://x.example/?after=5' }, {}, '5'],
    ['numbers', { page: 'p', last: 'of' }, { p: 1, of: 2 }, {}, '2'],
    ['the last number', { page: 'p', last: 'of' }, { p: 2, of: 2 }, {}, null],
    ['counted pages', { count: 'pages', items: 'items' }, { items: [1, 2] }, { limit: 2 }, '2'],
    ['counted items', { count: 'items', items: 'items' }, { items: [1, 2] }, { limit: 2, cursor: '4' }, '6'],
    ['a total', { count: 'items', items: 'items', total: 'total' }, { items: [1, 2], total: 6 }, { cursor: '4' }, null],
    ['the last item', { items: 'items', field: 'id', more: 'more' }, { items: [{ id: 7 }], more: true }, {}, '7'],
    ['no more items', { items: 'items', field: 'id', more: 'more' }, { items: [{ id: 7 }], more: false }, {}, null],
  ])('the cursor of the next page: %s', async (_, next, body, input, expected) => {
    const paging = { cursor: 'page', size: { name: 'size', default: 10, max: 50 }, next };
    const { output, seen } = await sent({ category: 'read', request: { path: '/act' }, paging }, input, { body });
    expect(output).toEqual({ ...body, nextCursor: expected });
    expect(seen.url).toContain(`size=${(input as { limit?: number }).limit ?? 10}`);
  });
});
