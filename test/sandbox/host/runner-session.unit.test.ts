import { CODE_RUN } from '../../../domain/limits.ts';
import type { RunnerMessage } from '../../../sandbox/host/runner-message.ts';
import { RunnerSession } from '../../../sandbox/host/runner-session.ts';

function aSession() {
  const sent: object[] = [];
  const failures: string[] = [];
  let speak = (_: RunnerMessage | undefined) => {};
  const runner = {
    send: (message: object) => void sent.push(message),
    onMessage: (listener: typeof speak) => {
      speak = listener;
    },
  };
  const session = new RunnerSession(runner, 0, (code) => failures.push(code));
  return { session, sent, failures, say: (message: RunnerMessage | undefined) => speak(message) };
}

const aTimer = (number: number) => ({ kind: 'timer' as const, number, delayMs: 0 });

test('a turn that arrives in several messages is delivered as one turn', async () => {
  const { session, sent, say } = aSession();
  const turn = session.say({ kind: 'start', now: 0 });
  say({ kind: 'turn', events: [aTimer(0)], more: true });
  say({ kind: 'turn', events: [aTimer(1)], more: false, end: { kind: 'returned', value: '1' } });
  expect(await turn).toEqual({ events: [aTimer(0), aTimer(1)], end: { kind: 'returned', value: '1' } });
  expect(sent).toEqual([{ kind: 'start', now: 0 }]);
});

test('the log clock advances with the messages and never goes back', () => {
  const { session, say } = aSession();
  void session.say({ kind: 'start', now: 5000 });
  void session.say({ kind: 'complete', now: 1000 });
  say({ kind: 'log', level: 'info', message: 'here' });
  expect(session.log.lines).toEqual([{ level: 'info', message: 'here', timestamp: '1970-01-01T00:00:05.000Z' }]);
});

test.each<[string, RunnerMessage | undefined, string]>([
  ['a frame that is not a message', undefined, 'CODE_CRASHED'],
  ['an unexpected report', { kind: 'turn', events: [], more: false }, 'CODE_CRASHED'],
  ['a reported failure', { kind: 'failed', code: 'CODE_MEMORY', message: 'memory' }, 'CODE_MEMORY'],
  ['a second ready', { kind: 'ready' }, 'CODE_CRASHED'],
])('%s ends the session once', (_, message, code) => {
  const { session, failures, say } = aSession();
  say(message);
  say(undefined);
  expect([failures, session.isClosed()]).toEqual([[code], true]);
});

test('an empty message that announces more of a turn, or too many events, end the session', () => {
  const empty = aSession();
  void empty.session.say({ kind: 'start', now: 0 });
  empty.say({ kind: 'turn', events: [], more: true });
  expect(empty.failures).toEqual(['CODE_CRASHED']);

  const full = aSession();
  void full.session.say({ kind: 'start', now: 0 });
  const events = Array.from({ length: CODE_RUN.maxCalls + CODE_RUN.maxTimers + 1 }, (_, number) => aTimer(number));
  full.say({ kind: 'turn', events, more: true });
  expect(full.failures).toEqual(['CODE_CALL_LIMIT']);
});
