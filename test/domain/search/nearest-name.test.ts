import { rankNames } from '../../../domain/search/nearest-name.ts';
import { suggestName } from '../../../domain/search/suggest-name.ts';

const MESSAGES = ['add_reaction', 'find_user_by_email', 'list_channels', 'send_channel_message', 'send_direct_message', 'update_message'];
const KV = ['put', 'get', 'delete', 'add_to_list', 'remove_from_list'];
const MEMORY = ['create_entities', 'add_observations', 'search', 'read_graph', 'get_entity', 'delete_entities', 'delete_relations'];
const FILES = ['delete_file', 'read_file', 'write_file', 'list_files', 'get_download_url'];
const ALIASES = ['code', 'http', 'kv-store', 'agent-memory', 'storage', 'slack-7'];

test.each([
  [MESSAGES, 'lst_channels', 'list_channels'],
  [MESSAGES, 'listChannels', 'list_channels'],
  [MESSAGES, 'List-Channel', 'list_channels'],
  [MESSAGES, 'sendDirectMesage', 'send_direct_message'],
  [MESSAGES, 'sendMessage', 'send_direct_message'],
  [MESSAGES, 'post_message', 'send_direct_message'],
  [MESSAGES, 'channel_messages', 'send_channel_message'],
  [MESSAGES, 'user', 'find_user_by_email'],
  [MESSAGES, 'reactions.add', 'add_reaction'],
  [MESSAGES, 'delete_everything', undefined],
  [MESSAGES, '', undefined],
  [MESSAGES, 'x'.repeat(10_000), undefined],
  [KV, 'set', 'put'],
  [KV, 'setItem', 'put'],
  [KV, 'save', 'put'],
  [KV, 'puut', 'put'],
  [KV, 'gte', 'get'],
  [KV, 'ad_to_list', 'add_to_list'],
  [KV, 'remove', 'delete'],
  [KV, 'del', 'delete'],
  [KV, 'list', undefined],
  [KV, 'list_keys', undefined],
  [MEMORY, 'add_entity', 'create_entities'],
  [MEMORY, 'remove_entity', 'delete_entities'],
  [MEMORY, 'list_entities', 'get_entity'],
  [FILES, 'file', 'read_file'],
  [FILES, 'save_file', 'write_file'],
  [FILES, 'rm', 'delete_file'],
  [ALIASES, 'nope', undefined],
  [ALIASES, 'kvstor', 'kv-store'],
  [ALIASES, 'memory', 'agent-memory'],
  [ALIASES, 'slak_7', 'slack-7'],
  [ALIASES, 'salesforce', undefined],
])('among %j, %s means %s', (names, written, meant) => {
  expect(rankNames(written, names).meant).toBe(meant);
});

test('the suggestion lists up to twenty names, the likeliest first', () => {
  expect(suggestName('erase', KV, (name) => `svc.kv.${name}`)).toBe(
    'Did you mean svc.kv.delete? There are: delete, remove_from_list, put, get, add_to_list.',
  );
  expect(suggestName('nope', KV)).toBe('There are: put, get, delete, add_to_list, remove_from_list.');
  const many = [...Array.from({ length: 2000 }, (_, n) => `make_thing${n}`), 'send_letter'];
  expect(suggestName('post_letters', many)).toMatch(
    /^Did you mean send_letter\? There are: send_letter, make_thing0, (?:\w+, ){17}make_thing18 and 1,981 more: svc_search finds them\.$/,
  );
  expect([suggestName('a', []), suggestName('nope', ['put']), suggestName('set', ['put'])]).toEqual([
    'There are none.',
    'There is only put.',
    'Did you mean put? There is no other.',
  ]);
});
