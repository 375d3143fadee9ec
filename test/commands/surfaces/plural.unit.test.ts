import { plural } from '../../../commands/surfaces/plural.ts';

test.each([
  ['channel', 'channels'],
  ['channel_id', 'channel_ids'],
  ['labels', 'labels'],
  ['branch', 'branches'],
  ['status', 'statuses'],
  ['address', 'addresses'],
  ['category', 'categories'],
  ['day', 'days'],
  ['From', 'Froms'],
])('the plural of %s is %s', (noun, expected) => {
  expect(plural(noun)).toBe(expected);
});
