import { DestinationSlots } from '../../../commands/webhooks/destination-slots.ts';

const LIMITS = { total: 6, ofOrg: 3, ofDestination: 2, ofSilentDestination: 1 };
const A1 = { endpointId: 'a1', orgId: 'a' };
const A2 = { endpointId: 'a2', orgId: 'a' };

test('without deliveries in flight, all slots are free', () => {
  expect(new DestinationSlots(LIMITS).room()).toEqual({ total: 6, ofDestination: 2, rooms: {}, fullEndpoints: [], fullOrgs: [] });
});

test('deliveries in flight use up the slots of their destination and of their organization', () => {
  const slots = new DestinationSlots(LIMITS);
  slots.take(A1);
  slots.take(A1);
  slots.take(A2);
  expect(slots.room()).toEqual({ total: 3, ofDestination: 2, rooms: { a1: 0, a2: 1 }, fullEndpoints: ['a1'], fullOrgs: ['a'] });
  slots.free(A1, false);
  expect(slots.room()).toEqual({ total: 4, ofDestination: 2, rooms: { a1: 1, a2: 1 }, fullEndpoints: [], fullOrgs: [] });
});

test('a destination that does not answer has fewer slots until it answers again', () => {
  const slots = new DestinationSlots(LIMITS);
  slots.take(A1);
  slots.free(A1, true);
  expect(slots.room()).toMatchObject({ total: 6, rooms: { a1: 1 }, fullEndpoints: [] });
  slots.take(A1);
  expect(slots.room()).toMatchObject({ rooms: { a1: 0 }, fullEndpoints: ['a1'] });
  slots.free(A1, false);
  expect(slots.room()).toMatchObject({ rooms: {}, fullEndpoints: [] });
});

test('a silent destination has few slots until it answers, and one organization cannot use all slots', () => {
  const slots = new DestinationSlots({ total: 10, ofOrg: 6, ofDestination: 4, ofSilentDestination: 1 });
  const silent = { endpointId: 'silent', orgId: 'one' };
  slots.take(silent);
  slots.free(silent, true);
  expect(slots.room()).toMatchObject({ total: 10, rooms: { silent: 1 }, fullEndpoints: [], fullOrgs: [] });
  slots.take(silent);
  expect(slots.room()).toMatchObject({ total: 9, rooms: { silent: 0 }, fullEndpoints: ['silent'] });
  slots.free(silent, false);
  expect(slots.room()).toMatchObject({ total: 10, fullEndpoints: [] });
  for (const endpointId of ['a', 'a', 'a', 'a', 'b', 'b']) slots.take({ endpointId, orgId: 'one' });
  expect(slots.room()).toMatchObject({ total: 4, rooms: { a: 0, b: 2 }, fullEndpoints: ['a'], fullOrgs: ['one'] });
});
