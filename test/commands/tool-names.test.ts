import { toolNames } from '../../commands/tool-names.ts';

const LONG = `a${'b'.repeat(63)}`;

test('a name is alias and action, with nothing in it that clients refuse', () => {
  expect(toolNames([{ alias: 'my-mail', actionName: 'send.now!' }])).toEqual(['my-mail__send_now_']);
});

test('a name is never longer than 64, and long ones stay apart', () => {
  const names = toolNames([
    { alias: LONG, actionName: 'first' },
    { alias: LONG, actionName: 'second' },
  ]);
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{64}$/);
});

test('tools that would share a name get one each, whatever their order', () => {
  const pair = [
    { alias: 'a', actionName: 'b__c' },
    { alias: 'a__b', actionName: 'c' },
  ];
  const [first, second] = toolNames(pair);
  expect(first).not.toBe(second);
  expect(toolNames([...pair].reverse())).toEqual([second, first]);
});
