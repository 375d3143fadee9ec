import { hashCall, hashCallInTurns } from '../../../commands/calls/hash-call.ts';
import { noteLargeInput } from '../../../infra/event-loop/breathe.ts';

const CALL = {
  ...{ orgId: 'o', workspaceId: 'w', source: 'rest', mcpServerId: null, workspaceIntegrationId: null, integrationName: 'mail' },
  ...{ integrationAlias: null, actionName: 'send', connectionId: null, connectionVersion: null, endUserId: null },
};
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`${(index * 7919) % count}`, index]));

test.each<[string, unknown]>([
  ['nothing', {}],
  ['empty values', { list: [], record: {}, text: '', none: null, missing: undefined }],
  ['names that look like numbers, sorted as text', { 10: 'a', 9: 'b', '-1': 'c', é: 'd', '\u{1f600}': 'e', '\ufb33': 'f' }],
  ['a name of the prototype', JSON.parse('{"__proto__": {"a": 1}, "constructor": [2]}')],
  ['numbers and escapes', [0, -0, 1e21, 1e-7, 0.1, '\n"\\\u2028/', true, false, [undefined]]],
  ['values that define their own JSON', { at: new Date(0), own: { toJSON: () => ({ b: 1, a: 2 }) } }],
  ['deep values', JSON.parse(`${'{"b":[1,'.repeat(100)}null${',2],"a":3}'.repeat(100)}`)],
  ['a megabyte of records', { body: Array.from({ length: 9000 }, (_, id) => ({ url: `https://x.example/${id}/${'y'.repeat(60)}`, id })) }],
  ['many fields', { body: names(40_000) }],
])('the hash computed in slices equals the hash computed in one step: %s', async (_, input) => {
  noteLargeInput();
  expect(await hashCallInTurns({ ...CALL, input })).toBe(hashCall({ ...CALL, input }));
});
