import { toolNames } from '../../../commands/surfaces/tool-names.ts';

const LONG = `a${'b'.repeat(63)}`;

test('a name is alias and action, with only characters that clients accept', () => {
  expect(toolNames([{ alias: 'my-mail', actionName: 'send.now!' }])).toEqual(['my-mail__send_now_']);
});

test('a name has at most 64 characters, and long names stay distinct', () => {
  const names = toolNames([
    { alias: LONG, actionName: 'first' },
    { alias: LONG, actionName: 'second' },
  ]);
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{64}$/);
});

test('tools with colliding names get unique names, in any order of the tools', () => {
  const pair = [
    { alias: 'a', actionName: 'b__c' },
    { alias: 'a__b', actionName: 'c' },
  ];
  const [first, second] = toolNames(pair);
  expect(first).not.toBe(second);
  expect(toolNames([...pair].reverse())).toEqual([second, first]);
});
