import { expiringFrom, statusAt } from '../../domain/connection-status.ts';

const at = (ms: number) => new Date(ms);
const DAY = 86_400_000;

test.each([
  [1, 'ACTIVE', 999],
  [2, 'EXPIRING', 1000],
  [3, 'EXPIRING', 1999],
  [4, 'ERROR', 2000],
] as const)('expiring access, case %i: the status is %s', (_, status, now) => {
  expect(statusAt({ status: 'ACTIVE', expiringAt: at(1000), expiresAt: at(2000) }, at(now))).toBe(status);
});

test('access stays ACTIVE if it is refreshed or has no known expiry', () => {
  expect(statusAt({ status: 'ACTIVE', expiringAt: null, expiresAt: at(1) }, at(2))).toBe('ACTIVE');
  expect(statusAt({ status: 'ACTIVE', expiringAt: null, expiresAt: null }, at(2))).toBe('ACTIVE');
});

test.each(['ERROR', 'REVOKED'] as const)('%s never changes with time', (status) => {
  expect(statusAt({ status, expiringAt: at(1000), expiresAt: at(2000) }, at(0))).toBe(status);
});

test('EXPIRING begins in the last tenth of the lifetime, at most seven days before the expiry', () => {
  expect(expiringFrom(at(0), at(3_600_000))).toEqual(at(3_240_000));
  expect(expiringFrom(at(0), at(70 * DAY))).toEqual(at(63 * DAY));
  expect(expiringFrom(at(0), at(365 * DAY))).toEqual(at(358 * DAY));
  expect(expiringFrom(at(1000), at(500))).toEqual(at(500));
});
