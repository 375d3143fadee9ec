import { userInfo } from 'node:os';
import { systemUser } from '../../standalone/system-user.ts';

const asRoot = process.getuid?.() === 0 ? test : test.skip;

test('the system user is the user of this process', () => {
  expect(systemUser()).toBe(userInfo().username);
});

asRoot('a user without a name is null', () => {
  process.seteuid!(54_321);
  try {
    expect(systemUser()).toBeNull();
  } finally {
    process.seteuid!(0);
  }
});
