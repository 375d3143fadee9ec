import type { Client } from '@temporalio/client';
import { TemporalClients } from '../../infra/temporal-clients.ts';

function numbered() {
  const closed: number[] = [];
  let opened = 0;
  const open = () => {
    const number = ++opened;
    const connection = { close: async () => void closed.push(number) };
    return { number, connection, withDeadline: (_: number, call: () => unknown) => call() } as unknown as Client;
  };
  return { clients: new TemporalClients(open), closed };
}

const numberOf = async (client: Client) => (client as unknown as { number: number }).number;
const failing = async () => {
  throw new Error('away');
};

test('calls share one client', async () => {
  const { clients } = numbered();
  expect([await clients.call(1, numberOf), await clients.call(1, numberOf)]).toEqual([1, 1]);
});

test('a client whose first call fails is replaced and closed', async () => {
  const { clients, closed } = numbered();
  await expect(clients.call(1, failing)).rejects.toThrow('away');
  expect([await clients.call(1, numberOf), closed]).toEqual([2, [1]]);
});

test('a client that has answered a call is kept when a later call fails', async () => {
  const { clients, closed } = numbered();
  await clients.call(1, numberOf);
  await expect(clients.call(1, failing)).rejects.toThrow('away');
  expect([await clients.call(1, numberOf), closed]).toEqual([1, []]);
});

test('a successful probe replaces the client; a failed probe changes nothing', async () => {
  const { clients, closed } = numbered();
  await clients.call(1, numberOf);
  await expect(clients.probe(1, failing)).rejects.toThrow('away');
  expect([await clients.call(1, numberOf), closed]).toEqual([1, [2]]);
  await clients.probe(1, async () => {});
  expect([await clients.call(1, numberOf), closed]).toEqual([3, [2, 1]]);
});

test('a client with a call in flight is closed after that call', async () => {
  const { clients, closed } = numbered();
  const answer = Promise.withResolvers<string>();
  const call = clients.call(1, () => answer.promise);
  clients.discard();
  expect([await clients.call(1, numberOf), closed]).toEqual([2, []]);
  answer.resolve('late');
  expect([await call, closed]).toEqual(['late', [1]]);
});

test('a probe that ends after close leaves no client open', async () => {
  const { clients, closed } = numbered();
  await clients.call(1, numberOf);
  await clients.close();
  await clients.probe(1, async () => {});
  expect(closed).toEqual([1, 2]);
});
