import type { CallOutcome } from '../domain/call.ts';
import { GatewayError } from '../domain/errors.ts';
import { ACTION_DEADLINE_SECONDS } from '../domain/limits.ts';
import { isDatabaseAway } from '../infra/database.ts';
import { OutboundError } from '../infra/outbound-error.ts';
import type { ActionContext } from '../integrations/definition.ts';
import type { Gateway } from './gateway.ts';
import { openState } from './open-state.ts';
import type { PreparedCall } from './prepare-call.ts';

/** Runs the action of an admitted call under its deadline. What goes wrong with the action is an outcome; only a database that is away is thrown. */
export async function performCall(gateway: Gateway, { call, action, instance }: PreparedCall): Promise<CallOutcome> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  const deadline = new AbortController();
  const { signal } = deadline;
  const timer = setTimeout(() => deadline.abort(tooLate()), ACTION_DEADLINE_SECONDS * 1000);
  const context: ActionContext = {
    input: call.input,
    auth: null,
    now: () => new Date(),
    signal,
    outbound: gateway.outbound,
    state: () =>
      openState(gateway, {
        orgId: call.orgId,
        workspaceId: call.workspaceId,
        persistence: instance?.settings.persistence,
        endUserId: call.endUserId,
      }),
  };
  try {
    const output = await Promise.race([action.run(context), rejectWhen(signal)]);
    return { ok: true, output: output ?? null, durationMs: durationMs() };
  } catch (error) {
    return { ok: false, error: toCallError(gateway, call.actionName, signal.aborted ? signal.reason : error), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
  }
}

function rejectWhen(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function tooLate(): GatewayError {
  return new GatewayError('ACTION_FAILED', `The action took longer than ${ACTION_DEADLINE_SECONDS} seconds.`);
}

function toCallError(gateway: Gateway, actionName: string, error: unknown) {
  if (error instanceof GatewayError) return { code: error.code, message: error.message, details: error.details };
  if (error instanceof OutboundError) return { code: 'ACTION_FAILED', message: error.message };
  if (isDatabaseAway(error)) throw error;
  gateway.logger.error({ actionName, thrown: placeOf(error) }, 'an action threw');
  return { code: 'ACTION_FAILED', message: 'The action failed unexpectedly.' };
}

/** What was thrown and where; its message may quote the input, so it stays out of the log. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [error.name, ...frames.slice(0, 5)].join('\n');
}
