import { type SearchedIntegration, searchActions } from '../../commands/search-actions.ts';
import { openCatalog } from '../../integrations/catalog.ts';

const surface: SearchedIntegration[] = openCatalog()
  .list()
  .map(({ name, displayName, actions }) => ({
    alias: name,
    integrationName: name,
    displayName,
    connected: true,
    actions: [...actions.values()].map((action) => ({ ...action, hiddenKeys: [], approval: name === 'http' })),
  }));

function found(query: string): string[] {
  return searchActions(surface, { query }).integrations.flatMap(({ alias, actions }) =>
    actions.map(({ actionName }) => `${alias}.${actionName}`),
  );
}

test.each([
  ['send an HTTP request', 'http.send_request'],
  ['write files', 'storage.write_file'],
  ['hashing', 'hash-encode.hash'],
  ['generateUuid', 'hash-encode.generate_uuid'],
  ['business hours', 'datetime.is_business_hours'],
  ['kv put', 'kv-store.put'],
])('"%s" finds %s first', (query, expected) => {
  expect(found(query)[0]).toBe(expected);
});

test('without a query everything is listed, up to the limit, and the answer says that there is more', () => {
  const all = surface.flatMap(({ actions }) => actions).length;
  const answer = searchActions(surface, { limit: 3 });
  expect(answer).toMatchObject({ total: all, truncated: true });
  expect(answer.integrations.flatMap(({ actions }) => actions)).toHaveLength(3);
  expect(searchActions(surface, { limit: all })).toMatchObject({ total: all, truncated: false });
});

test('an alias narrows the search, written either way', () => {
  for (const alias of ['kv-store', 'kv_store'])
    expect(searchActions(surface, { alias }).integrations.map((each) => each.alias)).toEqual(['kv-store']);
});

test('what fits nothing finds nothing', () => {
  expect(searchActions(surface, { query: 'zzz' })).toEqual({ integrations: [], total: 0, truncated: false });
});

test('an answer says how to call the action and whether a call may have to wait', () => {
  const [integration] = searchActions(surface, { query: 'http send_request' }).integrations;
  expect(integration).toMatchObject({ alias: 'http', integrationName: 'http', connected: true });
  const [action] = integration!.actions;
  expect(action).toMatchObject({ functionName: 'send_request', actionName: 'send_request', hiddenKeys: [], approval: true });
  expect(action?.signature).toMatch(/^svc\.http\.send_request\(input: /);
});
