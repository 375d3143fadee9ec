import { ownJudge } from '../../infra/outbound-own.ts';

test('a part on another machine is recognized by its port and its current addresses', async () => {
  const judge = ownJudge([{ host: 'db.internal', port: 5432 }], async (host) => (host === 'db.internal' ? ['10.0.0.7', 'fd00::7'] : []));
  expect(await judge(['10.0.0.7'], 5432)).toBe(true);
  expect(await judge(['203.0.113.1', 'fd00:0::7'], 5432)).toBe(true);
  expect(await judge(['::ffff:10.0.0.7'], 5432)).toBe(true);
  expect(await judge(['10.0.0.7'], 443)).toBe(false);
  expect(await judge(['10.0.0.8', '127.0.0.1'], 5432)).toBe(false);
  const lost = ownJudge([{ host: 'gone.internal', port: 443 }], () => Promise.reject(new Error('ENOTFOUND')));
  expect(await lost(['8.8.8.8'], 443)).toBe(false);
});

test('while the name of a part cannot be resolved, its last known addresses count', async () => {
  jest.useFakeTimers();
  try {
    let lookups = 0;
    const resolve = async () => (lookups++ === 0 ? ['10.0.0.7'] : Promise.reject(new Error('EAI_AGAIN')));
    const judge = ownJudge([{ host: 'db.internal', port: 5432 }], resolve);
    for (let minute = 0; minute < 3; minute += 1) {
      expect(await judge(['10.0.0.7'], 5432)).toBe(true);
      await jest.advanceTimersByTimeAsync(60_000);
    }
    expect(lookups).toBe(3);
  } finally {
    jest.useRealTimers();
  }
});
