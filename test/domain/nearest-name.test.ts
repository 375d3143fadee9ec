import { nearestName } from '../../domain/nearest-name.ts';

const ACTIONS = ['add_reaction', 'find_user_by_email', 'list_channels', 'send_channel_message', 'send_direct_message', 'update_message'];

test.each([
  ['lst_channels', 'list_channels'],
  ['listChannels', 'list_channels'],
  ['List-Channel', 'list_channels'],
  ['sendDirectMesage', 'send_direct_message'],
  ['sendMessage', 'send_direct_message'],
  ['channel_messages', 'send_channel_message'],
  ['user', 'find_user_by_email'],
  ['reactions.add', 'add_reaction'],
  ['delete_everything', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%s means %s', (written, meant) => {
  expect(nearestName(written, ACTIONS)).toBe(meant);
});
