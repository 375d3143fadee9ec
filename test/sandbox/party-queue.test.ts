import { openPartyQueue } from '../../sandbox/party-queue.ts';

test('parties take turns, and each has its own in the order in which they came', () => {
  const queue = openPartyQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1']) queue.push(item[0]!, item);
  const taken = [queue.shift(), queue.shift()];
  queue.push('a', 'a4');
  queue.push('b', 'b2');
  expect(queue.size()).toBe(5);
  for (let item = queue.shift(); item; item = queue.shift()) taken.push(item);
  expect(taken).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect(queue.size()).toBe(0);
});
