import { Completions } from '../../../../commands/code-runs/pass/completions.ts';
import { PassReplacedError } from '../../../../store/fence.ts';

const answer = (number: number) => ({ number, now: 0, ok: true as const, value: String(number) });
const recorded = (order: number, number: number) => ({ order, number, open: async () => answer(number) });
const numberOf = async (next: ReturnType<Completions['next']>) => {
  const completion = await next;
  return completion === 'pause' ? completion : completion.number;
};

test('recorded answers are delivered first, in their order, and new answers follow', async () => {
  const completions = new Completions([recorded(1, 5), recorded(2, 4)]);
  for (const number of [4, 5, 6]) completions.issued(number);
  const places: number[] = [];
  await completions.complete(async (place) => {
    places.push(place);
    return answer(6);
  });
  expect([await numberOf(completions.next()), await numberOf(completions.next()), await numberOf(completions.next())]).toEqual([5, 4, 6]);
  expect(places).toEqual([3]);
});

test('a recorded answer that the code did not request ends the run', async () => {
  await expect(new Completions([recorded(1, 0)]).next()).rejects.toMatchObject({ code: 'CODE_DIVERGED' });
});

test('a gate pauses the pass after the calls in flight, without waiting for timers', async () => {
  const completions = new Completions([]);
  const call = Promise.withResolvers<void>();
  completions.follow(call.promise, { isCall: true });
  completions.follow(new Promise(() => {}), { isCall: false });
  completions.gated();
  const order: string[] = [];
  const paused = numberOf(completions.next()).then((next) => order.push(String(next)));
  order.push('call ends');
  call.resolve();
  await paused;
  expect(order).toEqual(['call ends', 'pause']);
});

test('an error ends the pass after the other calls are recorded, unless the pass was replaced', async () => {
  const failing = new Completions([]);
  const other = Promise.withResolvers<void>();
  failing.follow(other.promise, { isCall: true });
  failing.follow(Promise.reject(new Error('journal lost')), { isCall: true });
  const order: string[] = [];
  const ended = failing.next().catch((error) => order.push(error.message));
  await Promise.resolve().then(() => order.push('other call ends'));
  other.resolve();
  await ended;
  expect(order).toEqual(['other call ends', 'journal lost']);
  expect(failing.hasFailed()).toBe(true);

  const replaced = new Completions([]);
  replaced.follow(new Promise(() => {}), { isCall: true });
  replaced.follow(Promise.reject(new PassReplacedError('another pass')), { isCall: true });
  await expect(replaced.next()).rejects.toThrow('another pass');
});

test('answers are recorded one at a time, in the order of arrival', async () => {
  const completions = new Completions([]);
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const all = [
    completions.complete(async (place) => {
      await first.promise;
      order.push(`first at ${place}`);
      return answer(0);
    }),
    completions.complete(async (place) => {
      order.push(`second at ${place}`);
      return answer(1);
    }),
  ];
  first.resolve();
  await Promise.all(all);
  expect(order).toEqual(['first at 1', 'second at 2']);
});
