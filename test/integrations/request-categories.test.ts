import { fetchCategories, graphqlCategories, requestCategories } from '../../integrations/builtin/http/request-categories.ts';
import { openCatalog } from '../../integrations/catalog.ts';
import type { ObjectSchema } from '../../integrations/schema/value-schema.ts';

const url = 'https://api.example/items';
const MUTATION = 'mutation { pay(amount: 5) { id } }';

function ofGet(more: Partial<Parameters<typeof requestCategories>[0]>) {
  return requestCategories({ method: 'GET', url, ...more });
}

test.each([
  'X-HTTP-Method-Override',
  'x-http-method-override',
  'X_HTTP_METHOD_OVERRIDE',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-HTTP-METHOD-override',
  'HTTP-Method-Override',
])('a GET with the header %s also has the category of the method in the header', (name) => {
  expect(ofGet({ headers: { [name]: 'DELETE' } })).toEqual(['delete', 'read']);
  expect(ofGet({ headers: { [name]: ' post ' } })).toEqual(['write', 'read']);
  expect(ofGet({ headers: { [name]: 'GET, DELETE' } })).toEqual(['delete', 'read']);
  expect(ofGet({ headers: { [name]: 'PURGE' } })).toEqual(['delete', 'write', 'read']);
  expect(ofGet({ headers: { [name]: 'get' } })).toEqual(['read']);
});

test.each([
  '_method=delete',
  '_METHOD=DELETE',
  'a=1&_method=DELETE',
  'a=1;_method=DELETE',
  '%5fmethod=DELETE',
  '_method[]=DELETE',
  '+_method+=+DELETE',
  '_method=DE%4cETE',
  'X-HTTP-Method-Override=DELETE',
  '.method=DELETE',
  '[method=DELETE',
  '%5bmethod=DELETE',
  '_http.method=DELETE',
])('a GET with the query %s counts as a possible delete', (query) => {
  expect(ofGet({ url: `${url}?${query}` })).toEqual(['delete', 'read']);
});

test('other methods can be overridden too, also by a body', () => {
  expect(requestCategories({ method: 'POST', url, headers: { 'x-http-method-override': 'DELETE' } })).toEqual(['delete', 'write']);
  expect(requestCategories({ method: 'DELETE', url, headers: { 'x-http-method-override': 'PUT' } })).toEqual(['delete', 'write']);
  for (const body of [
    { _method: 'DELETE' },
    { ' _Method ': 'x' },
    '_method=DELETE',
    'a=1&%5Fmethod=DELETE',
    '{"_method":"DELETE"}',
    'name="_method"\r\n\r\nDELETE',
    '_%6dethod=DELETE',
    'a=1&_me%54hod=DELETE',
    '.method=DELETE',
    '{"_\\u006dethod":"DELETE"}',
    '{"\\u005F\\u004dethod":"DELETE"}',
    '[{"_method":"DELETE"}]',
    [{ a: 1 }, { _method: 'DELETE' }],
    { '.method': 'DELETE' },
    { '_method[x]': 'DELETE' },
    `${'method '.repeat(20_000)}`,
  ])
    expect(requestCategories({ method: 'POST', url, body })).toEqual(['delete', 'write']);
  for (const body of [
    { payment_method: 'card' },
    [{ method: 'card' }],
    'payment_method=card',
    'pay%5fmethod=card',
    'by what method? 5%',
    '{"payment_method":"card"}',
  ])
    expect(requestCategories({ method: 'POST', url, body })).toEqual(['write']);
});

test('a GET with a body counts as a possible write', () => {
  expect(ofGet({ body: '' })).toEqual(['write', 'read']);
  expect(ofGet({ body: { query: MUTATION } })).toEqual(['write', 'read']);
});

test.each([
  `query=${encodeURIComponent(MUTATION)}`,
  `query=${encodeURIComponent(`\ufeff# a comment { }\n ,, ${MUTATION}`)}`,
  `QUERY=${encodeURIComponent(MUTATION)}`,
  `query[]=${encodeURIComponent(MUTATION)}`,
  `%71uery=${encodeURIComponent(MUTATION)}`,
  `query=%7Ba%7D&query=${encodeURIComponent(MUTATION)}`,
  `query=${encodeURIComponent('query A { a } mutation B { b }')}&operationName=B`,
  `query=${encodeURIComponent('subscription { a }')}`,
  `query=${encodeURIComponent('{ a } # \u2028 mutation { b }')}`,
  `query=${encodeURIComponent('query { a(t: "&;") } mutation { b }')}`,
  `query=mutation{pay(amount:5){id}}`,
  `query=${encodeURIComponent(encodeURIComponent(MUTATION))}`,
  `batch=${encodeURIComponent(JSON.stringify([{ query: '{a}' }, { query: MUTATION }]))}`,
  `extensions=${encodeURIComponent('{"persistedQuery":{"version":1,"sha256Hash":"0"}}')}`,
  `variables=%7B%7D&documentId=7`,
  `mutation=pay`,
])('a GET with a GraphQL operation that is not known to read is a possible write: %s', (query) => {
  expect(ofGet({ url: `https://api.example/?${query}` })).toEqual(['write', 'read']);
  expect(fetchCategories([`https://api.example/graphql?${query}`])).toEqual(['write', 'read']);
  expect(graphqlCategories({ url: `https://api.example/graphql?${query}`, query: '{ a }' })).toEqual(['write']);
});

test.each(['', '?query=cats', '?query=%7B%20a%20%7D', '?q=mutation', '?document_id=5', '?fields=a,b&filter={"a":1}', '?extensions=pdf'])(
  'a GET of an ordinary address is a read: %s',
  (query) => {
    expect(ofGet({ url: url + query })).toEqual(['read']);
  },
);

test.each(['?id=7', '?hash=abc', '?query={a}&id=7'])('a stored GraphQL operation has an unknown effect: %s', (query) => {
  expect(ofGet({ url: `https://api.example/graphql${query}` })).toEqual(['write', 'read']);
  expect(graphqlCategories({ url: `https://api.example/graphql${query}`, query: '{ a }' })).toEqual(['write']);
});

test('an address with more than a thousand parameters has an unknown effect', () => {
  expect(ofGet({ url: `${url}?${'a&'.repeat(1001)}` })).toEqual(['delete', 'write', 'read']);
  expect(ofGet({ url: `${url}?${'a=1&'.repeat(900)}` })).toEqual(['read']);
});

test('the actions that call addresses use these categories, also for a query in an input', () => {
  const catalog = openCatalog();
  const send = catalog.getAction('http', 'send_request');
  const input = (more: object) => parsed(send.input, { method: 'GET', url, ...more });
  expect(send.categoryOf(input({}))).toBe('read');
  expect(send.categoryOf(input({ queryParams: { query: MUTATION } }))).toBe('write');
  expect(send.otherCategoriesOf!(input({ queryParams: { query: MUTATION } }))).toEqual(['read']);
  expect(send.categoryOf(input({ queryParams: { _method: ['GET', 'DELETE'] } }))).toBe('delete');
  expect(send.categoryOf(input({ body: 'x' }))).toBe('write');
  expect(send.categoryOf(input({ headers: { 'X-HTTP-Method-Override': 'PATCH' } }))).toBe('write');
  const address = `https://api.example/graphql?query=${encodeURIComponent(MUTATION)}`;
  const graphql = catalog.getAction('graphql', 'send_request');
  expect(graphql.categoryOf(parsed(graphql.input, { url: address, query: '{a}' }))).toBe('write');
  expect(
    graphql.otherCategoriesOf!(parsed(graphql.input, { url: 'https://a.example', query: '{a}', headers: { 'x-http-method': 'DELETE' } })),
  ).toEqual(['read']);
  for (const name of ['fetch_as_markdown', 'fetch_as_text', 'extract_links', 'extract_structured_data']) {
    const action = catalog.getAction('web-reader', name);
    expect(action.categoryOf(parsed(action.input, { url: address }))).toBe('write');
    expect(action.categoryOf(parsed(action.input, { url }))).toBe('read');
  }
  const several = catalog.getAction('web-reader', 'fetch_multiple');
  expect(several.categoryOf(parsed(several.input, { urls: [url, address] }))).toBe('write');
});

function parsed(schema: ObjectSchema, value: unknown): Record<string, unknown> {
  const read = schema.parse(value);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
}
