import { setTimeout as delay } from 'node:timers/promises';
import { CircuitOpenError, openCircuitBreaker } from '../../infra/circuit-breaker.ts';

class Outage extends Error {}
const fail = () => Promise.reject(new Outage('away'));

function aCircuit() {
  const said: string[] = [];
  let waiting = Promise.withResolvers<{ answer(): void; refuse(): void }>();
  const circuit = openCircuitBreaker({
    isOutage: (error) => error instanceof Outage,
    probe: async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.resolve({ answer: resolve, refuse: () => reject(new Outage('still away')) });
      await promise;
    },
    onOpen: (error) => said.push(`opened: ${(error as Error).message}`),
    onClose: () => said.push('closed'),
  });
  const nextProbe = async () => {
    const probe = await waiting.promise;
    waiting = Promise.withResolvers();
    return probe;
  };
  return { circuit, said, nextProbe };
}

test('one outage opens the circuit, and then calls fail immediately, even during a probe', async () => {
  const { circuit, said, nextProbe } = aCircuit();
  let made = 0;
  const call = () => circuit.run(async () => ++made);
  await expect(call()).resolves.toBe(1);
  await expect(circuit.run(fail)).rejects.toThrow('away');
  await expect(call()).rejects.toThrow(CircuitOpenError);
  const probe = await nextProbe();
  for (let round = 0; round < 100; round += 1) await expect(call()).rejects.toThrow(CircuitOpenError);
  expect([made, said]).toEqual([1, ['opened: away']]);
  probe.answer();
  circuit.stop();
});

test('the first successful probe closes the circuit, and each change is reported once', async () => {
  const { circuit, said, nextProbe } = aCircuit();
  await expect(circuit.run(fail)).rejects.toThrow('away');
  for (let round = 0; round < 3; round += 1) (await nextProbe()).refuse();
  await expect(circuit.run(async () => 1)).rejects.toThrow(CircuitOpenError);
  const closed = circuit.untilClosed(60_000);
  (await nextProbe()).answer();
  await closed;
  await expect(circuit.run(async () => 1)).resolves.toBe(1);
  expect(said).toEqual(['opened: away', 'closed']);
});

test('calls that began before an outage cannot open the circuit again', async () => {
  const { circuit, said, nextProbe } = aCircuit();
  const [during, after] = [Promise.withResolvers<never>(), Promise.withResolvers<never>()];
  const calls = Array.from({ length: 10 }, () => circuit.run(() => during.promise));
  const last = circuit.run(() => after.promise);
  await expect(circuit.run(fail)).rejects.toThrow('away');
  during.reject(new Outage('late'));
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
  (await nextProbe()).answer();
  await circuit.untilClosed(60_000);
  after.reject(new Outage('later'));
  await expect(last).rejects.toThrow('later');
  await expect(circuit.run(async () => 1)).resolves.toBe(1);
  expect(said).toEqual(['opened: away', 'closed']);
});

test('only an outage opens the circuit, and a probe with any other error closes the circuit', async () => {
  const said: string[] = [];
  const circuit = openCircuitBreaker({
    isOutage: (error) => error instanceof Outage,
    probe: () => Promise.reject(new Error('not found')),
    onOpen: () => said.push('opened'),
    onClose: () => said.push('closed'),
  });
  await expect(circuit.run(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(said).toEqual([]);
  await expect(circuit.run(fail)).rejects.toThrow('away');
  await circuit.untilClosed(60_000);
  expect(said).toEqual(['opened', 'closed']);
});

test('a wait for the circuit ends when the circuit has been open for the given time', async () => {
  const { circuit, said } = aCircuit();
  await expect(circuit.run(fail)).rejects.toThrow('away');
  await circuit.untilClosed(100);
  // The circuit has already been open longer than 100 ms.
  const first = await Promise.race([circuit.untilClosed(100).then(() => 'circuit'), delay(0, 'timer')]);
  expect(first).toBe('circuit');
  expect(said).toEqual(['opened: away']);
  circuit.stop();
});
