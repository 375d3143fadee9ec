import { type SearchRequest, searchActions } from '../../../commands/catalogue/search-actions.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { openCatalog } from '../../../integrations/catalog.ts';
import { aSurface } from '../../support/a-surface.ts';
import { knownIntegrations } from '../../support/known-integrations.ts';
import { largeCatalog } from '../../support/large-catalog.ts';
import { thePolicy } from '../../support/the-policy.ts';

const reader = { workspaceId: 'w', mcpServerId: 's', endUserId: null, policies: policySet([]), connections: [] };
const catalog = openCatalog();
const surface = aSurface(
  catalog,
  knownIntegrations().map(({ name }) => ({ alias: name, integrationName: name })),
);
const actionCount = surface.tools.length;

function search(request: SearchRequest, among = surface, of = catalog) {
  return searchActions(of, among, reader, request);
}

const large = largeCatalog(10_000);
const largeSurface = aSurface(large);

function foundAmongThousands(query: string): string[] {
  return search({ query }, largeSurface, large).integrations.flatMap(({ alias, actions }) =>
    actions.map(({ actionName }) => `${alias}.${actionName}`),
  );
}

test.each([
  ['send an HTTP request', 'http.send_request'],
  ['make an http call to a REST API', 'http.send_request'],
  ['call rest api endpoint', 'http.send_request'],
  ['htttp request', 'http.send_request'],
  ['graphql query', 'graphql.send_request'],
  ['run a graphql mutation', 'graphql.send_request'],
  ['write files', 'storage.write_file'],
  ['save a file', 'storage.write_file'],
  ['filesystem write', 'storage.write_file'],
  ['read file from filesystem', 'storage.read_file'],
  ['share a file by link', 'storage.get_download_url'],
  ['get a download link for a file', 'storage.get_download_url'],
  ['hashing', 'hash-encode.hash'],
  ['sha256 checksum of a text', 'hash-encode.hash'],
  ['base64 encode', 'hash-encode.encode'],
  ['base64 decoding', 'hash-encode.decode'],
  ['generateUuid', 'hash-encode.generate_uuid'],
  ['make a random guid', 'hash-encode.generate_uuid'],
  ['business hours', 'datetime.is_business_hours'],
  ['is it within working hours', 'datetime.is_business_hours'],
  ['add days to a date', 'datetime.date_math'],
  ['subtract two weeks from a date', 'datetime.date_math'],
  ['format a date', 'datetime.format_date'],
  ['formating dates', 'datetime.format_date'],
  ['parse a date string', 'datetime.parse_date'],
  ['kv put', 'kv-store.put'],
  ['store a value under a key', 'kv-store.put'],
  ['key value store get', 'kv-store.get'],
  ['remove key', 'kv-store.delete'],
  ['append to a list under a key', 'kv-store.add_to_list'],
  ['kvstore delete', 'kv-store.delete'],
  ['remember new entities', 'agent-memory.create_entities'],
  ['forget an entity', 'agent-memory.delete_entities'],
  ['delete relation between entities', 'agent-memory.delete_relations'],
  ['search memory', 'agent-memory.search'],
  ['write a page of notes', 'agent-scratchpad.write_page'],
  ['scratchpad append', 'agent-scratchpad.append_page'],
  ['think step by step', 'sequential-thinking.add_thought'],
  ['summarise chain of thoughts', 'sequential-thinking.summarize_chain'],
  ['upload a file to S3', 'amazon-s3.upload_file'],
  ['s3 presigned url', 'amazon-s3.generate_presigned_url'],
  ['list objects in an S3 bucket', 'amazon-s3.list_files'],
  ['send a text message to a phone', 'clicksend.send_sms'],
  ['send sms', 'clicksend.send_sms'],
  ['SMS balance of the account', 'clicksend.get_account'],
  ['post a message in a slack channel', 'slack.send_channel_message'],
  ['slack mesage to chanel', 'slack.send_channel_message'],
  ['send slack DM', 'slack.send_direct_message'],
  ['slakc direct message', 'slack.send_direct_message'],
  ['add emoji reaction', 'slack.add_reaction'],
  ['look up a slack user by email', 'slack.find_user_by_email'],
  ['edit a message on slack', 'slack.update_message'],
  ['read channel history', 'slack.get_channel_history'],
  ['what channels are there in slack', 'slack.list_channels'],
  ['post to discord', 'discord.send_channel_message'],
  ['give a member a role', 'discord.add_role_to_member'],
  ['take role away from discord member', 'discord.remove_role_from_member'],
  ['delete discord message', 'discord.delete_message'],
  ['list the members of a discord server', 'discord.list_guild_members'],
  ['open an issue on github', 'github.create_issue'],
  ['creat github isue', 'github.create_issue'],
  ['close an issue', 'github.update_issue'],
  ['comment on a pull request', 'github.create_issue_comment'],
  ['find pull requests', 'github.search_issues'],
  ['serach code on github', 'github.search_code'],
  ['get the content of a file in a repository', 'github.get_file_content'],
  ['my repos', 'github.list_repositories'],
  ['ask chat gpt', 'openai.ask_chatgpt'],
  ['chatgpt question', 'openai.ask_chatgpt'],
  ['draw a picture', 'openai.generate_image'],
  ['genrate image', 'openai.generate_image'],
  ['text to speach', 'openai.text_to_speech'],
  ['vector embedding of texts', 'openai.create_embedding'],
  ['run python script', 'advanced-code.run_code'],
  ['run a shell command', 'advanced-code.run_code'],
  ['web page as markdown', 'web-reader.fetch_as_markdown'],
  ['scrape website text', 'web-reader.fetch_as_text'],
  ['links on a webpage', 'web-reader.extract_links'],
  ['read several pages at once', 'web-reader.fetch_multiple'],
  ['open graph meta tags', 'web-reader.extract_structured_data'],
  ['merge two objects', 'data-transformer.merge_objects'],
  ['filter an array', 'data-transformer.filter_array'],
  ['split list into batches', 'data-transformer.batch_array'],
  ['jsonpath', 'data-transformer.transform_json'],
])('among 10,000 actions, the query "%s" ranks %s first', (query, expected) => {
  expect(foundAmongThousands(query)[0]).toBe(expected);
});

test.each([
  ['file a bug in a repo', 'github.create_issue'],
  ['add a contact to a contact list', 'clicksend.create_contact'],
  ['recall an entity by its name', 'agent-memory.get_entity'],
  ['delete', 'storage.delete_file'],
  ['picture message', 'clicksend.send_mms'],
])('among 10,000 actions, the query "%s" ranks %s among the first three', (query, expected) => {
  expect(foundAmongThousands(query).slice(0, 3)).toContain(expected);
});

test.each([
  ['create invoice', 'create_invoice'],
  ['list every order', 'list_orders'],
  ['crate a custmer', 'create_customer'],
  ['chnage the shippment', 'update_shipment'],
  ['get rid of a webhook, delete it', 'delete_webhook'],
])('the first ten results of the query %j are actions named %s', (query, expected) => {
  expect(foundAmongThousands(query).slice(0, 10)).toEqual(Array.from({ length: 10 }, () => expect.stringMatching(`\\.${expected}$`)));
});

test.each([
  ['page', 'agent-scratchpad.read_page'],
  ['files', 'storage.read_file'],
  ['entities', 'agent-memory.create_entities'],
  ['kv list', 'kv-store.add_to_list'],
  ['delete page', 'agent-scratchpad.delete_page'],
  ['wipe a file', 'storage.delete_file'],
  ['take something from a list under a key', 'kv-store.remove_from_list'],
])('a destructive action ranks first only if the query asks for one: %j finds %s', (query, expected) => {
  const [first] = search({ query }).integrations;
  expect(`${first!.alias}.${first!.actions[0]!.actionName}`).toBe(expected);
});

test('an action is found by the names of its inputs and by its alias', () => {
  const { integrations } = search({ query: 'timezone' });
  expect(integrations.map(({ alias, actions }) => [alias, actions.length])).toEqual([['datetime', 4]]);
  const renamed = aSurface(catalog, [{ alias: 'team-notes', integrationName: 'storage' }]);
  expect(search({ query: 'team notes read' }, renamed).integrations[0]!.actions[0]!.actionName).toBe('read_file');
});

test('the name of an integration narrows a query that thousands of actions match', () => {
  const { name } = large.list().find(({ categories }) => categories.includes('SALES_AND_CRM'))!;
  expect(foundAmongThousands(`create a payment in ${name}`)[0]).toBe(`${name}.create_payment`);
});

test('without a query, actions are listed up to the limit, with their total number', () => {
  const answer = search({ limit: 3 });
  expect(answer).toMatchObject({ total: actionCount, truncated: true });
  expect(answer.integrations.flatMap(({ actions }) => actions)).toHaveLength(3);
  expect(search({ limit: actionCount })).toMatchObject({ total: actionCount, truncated: false });
  expect(search({ query: 'what can you do for me?', limit: actionCount })).toMatchObject({ total: actionCount });
});

test('an alias narrows the search, in either spelling', () => {
  for (const alias of ['kv-store', 'kv_store']) {
    expect(search({ alias }).integrations.map((each) => each.alias)).toEqual(['kv-store']);
    expect(search({ alias, query: 'delete' }).integrations.map(({ alias, actions }) => [alias, actions[0]!.actionName])).toEqual([
      ['kv-store', 'delete'],
    ]);
  }
});

test('an unknown alias finds nothing, and the answer suggests a similar one', () => {
  expect(search({ alias: 'kvstor' })).toEqual({
    ...{ integrations: [], total: 0, truncated: false },
    hint: expect.stringMatching(/^There is no alias "kvstor" here\. Did you mean kv-store\? There are: kv-store, /),
  });
});

test('a query without matches finds nothing, and the answer says what to try', () => {
  for (const query of ['zzz', '日本語', `${'🙂'.repeat(100)} qqqq`, 'constructor', '__proto__'])
    expect([query, search({ query, alias: 'kv-store' })]).toEqual([
      query,
      { integrations: [], total: 0, truncated: false, hint: expect.stringMatching(/leave out the query.*plain JavaScript/) },
    ]);
});

test('names in other scripts are found as written, and names with accents also without accents', () => {
  const [first] = catalog.list();
  const renamed = {
    ...catalog,
    get: (name: string) => ({ ...catalog.get(name), displayName: name === first!.name ? 'Ночной Café' : name }),
  };
  const among = aSurface(renamed);
  for (const query of ['ночной', 'cafe', 'CAFÉ']) expect(search({ query }, among, renamed).integrations[0]!.alias).toBe(first!.name);
});

test('an answer says how to call the action, and whether a call can wait for approval', () => {
  const policies = policySet([thePolicy({ sources: ['mcp_code'], integrationNames: ['http'] })]);
  const [integration] = searchActions(catalog, surface, { ...reader, policies }, { query: 'http send_request' }).integrations;
  expect(integration).toMatchObject({ alias: 'http', integrationName: 'http', connected: true });
  const [action] = integration!.actions;
  expect(action).toMatchObject({ functionName: 'send_request', actionName: 'send_request', hiddenKeys: [], approval: true });
  expect(action?.signature).toMatch(/^svc\.http\.send_request\(input: /);
  expect(search({ query: 'http send_request' }).integrations[0]!.actions[0]!.approval).toBe(false);
});

test('`connected` depends on the connections of the request', () => {
  const own = { id: 'c', integrationName: 'slack', workspaceIntegrationId: null, isOwn: true };
  const connectedFor = (connections: (typeof own)[]) =>
    searchActions(catalog, surface, { ...reader, endUserId: 'ada', connections }, { query: 'slack' }).integrations[0]!.connected;
  expect([connectedFor([]), connectedFor([own])]).toEqual([false, true]);
});

test('preset keys are listed as hidden and are absent from signatures', () => {
  const preset = aSurface(catalog, [{ alias: 'ink', integrationName: 'hash-encode', preset: { encoding: 'hex' } }]);
  const [action] = search({ query: 'encode' }, preset).integrations[0]!.actions;
  expect(action).toMatchObject({ actionName: 'encode', hiddenKeys: ['encoding'] });
  expect(action!.signature).toContain('svc.ink.encode(input: { text: string }): ');
});

test('an alias with a hyphen is called in brackets if its underscore form is taken', () => {
  const both = aSurface(
    catalog,
    ['my-kv', 'my_kv', 'other-kv'].map((alias) => ({ alias, integrationName: 'kv-store', actions: ['get'] })),
  );
  const signatures = search({}, both).integrations.flatMap(({ actions }) => actions.map(({ signature }) => signature.replace(/\(.*/, '')));
  expect(signatures).toEqual(['svc["my-kv"].get', 'svc.my_kv.get', 'svc.other_kv.get']);
});
