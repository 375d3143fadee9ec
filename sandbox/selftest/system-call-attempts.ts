/**
 * Number and arguments of a system call in hexadecimal, for `launcher -c`, by the effect of the
 * call.
 */
export type Attempts = Record<'keyring' | 'calls', Record<string, string>>;

/** Harmless system calls that native code could try. */
export function attemptsFor(arch: string): Attempts {
  const { keyctl, socket, personality, unshare } = NUMBERS[arch === 'arm64' ? 'arm64' : 'x64'];
  return {
    keyring: { 'found the keyring of the session': `${keyctl} ${GET_KEYRING_ID} ${SESSION_KEYRING} 0` },
    calls: {
      'opened a netlink socket': `${socket} ${AF_NETLINK} ${SOCK_RAW} 0`,
      'asked for a personality': `${personality} ffffffff`,
      'unshared its files': `${unshare} ${CLONE_FILES}`,
    },
  };
}

const NUMBERS = {
  x64: { keyctl: 'fa', socket: '29', personality: '87', unshare: '110' },
  arm64: { keyctl: 'db', socket: 'c6', personality: '5c', unshare: '61' },
};
const [GET_KEYRING_ID, SESSION_KEYRING] = ['0', 'fffffffd'];
const [AF_NETLINK, SOCK_RAW] = ['10', '3'];
const CLONE_FILES = '400';
