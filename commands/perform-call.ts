import type { Call, CallOutcome } from '../domain/call.ts';
import { GatewayError } from '../domain/errors.ts';
import { hiddenValues } from '../domain/hidden-values.ts';
import { type HideSecrets, hiderOf } from '../domain/hide-secrets.ts';
import { ACTION_DEADLINE_SECONDS } from '../domain/limits.ts';
import { isDatabaseAway } from '../infra/database.ts';
import { OutboundError } from '../infra/outbound-error.ts';
import type { ActionContext, AuthValue } from '../integrations/definition.ts';
import { markConnectionAccepted, markConnectionRefused } from '../store/connections.ts';
import type { UsableConnection } from '../store/usable-connections.ts';
import { openCredentials } from './connection-credentials.ts';
import type { Gateway } from './gateway.ts';
import { judgeRedirects } from './judge-redirects.ts';
import { openActionSandbox } from './open-action-sandbox.ts';
import { openState } from './open-state.ts';
import type { PreparedCall } from './prepare-call.ts';
import { rejectWhen } from './reject-when.ts';

/** Runs the action of an admitted call under its deadline. What goes wrong with the action is an outcome; only a database that is away is thrown. */
export async function performCall(gateway: Gateway, { call, action, instance, connection }: PreparedCall): Promise<CallOutcome> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  const deadline = new AbortController();
  const { signal } = deadline;
  const deadlineSeconds = deadlineSecondsOf({ action, instance });
  const timer = setTimeout(() => deadline.abort(tooLate(deadlineSeconds)), deadlineSeconds * 1000);
  const contextWith = (auth: AuthValue | null): ActionContext => ({
    input: call.input,
    auth,
    now: () => new Date(),
    signal,
    outbound: judgeRedirects(gateway, call),
    state: () =>
      openState(gateway, {
        orgId: call.orgId,
        workspaceId: call.workspaceId,
        persistence: instance?.settings.persistence,
        endUserId: call.endUserId,
      }),
    sandbox: () => openActionSandbox(gateway, { ...call, settings: instance?.settings.advancedCode, signal }),
    inTurn: (work) => gateway.turns.forThreads(call.orgId, signal, work),
  });
  const run = async () => action.run(contextWith(connection && (await openCredentials(gateway, connection))));
  try {
    const output = await Promise.race([run(), rejectWhen(signal)]);
    await noteHealth(gateway, connection, true);
    return { ok: true, output: output ?? null, durationMs: durationMs() };
  } catch (error) {
    if (isRefusedCredential(error)) await noteHealth(gateway, connection, false);
    return { ok: false, error: toCallError(gateway, call, signal.aborted ? signal.reason : error), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
  }
}

/** How long the action of a call may take, under the settings of its instance. */
export function deadlineSecondsOf({ action, instance }: Pick<PreparedCall, 'action' | 'instance'>): number {
  return action.deadlineSeconds?.(instance?.settings ?? {}) ?? ACTION_DEADLINE_SECONDS;
}

/** A connection whose credentials the third party refused needs reconnecting, until a call with it succeeds again. The call itself stands either way. */
async function noteHealth({ db, logger }: Gateway, connection: UsableConnection | null, accepted: boolean): Promise<void> {
  if (!connection || (connection.status === 'ERROR') === !accepted) return;
  const note = accepted ? markConnectionAccepted : markConnectionRefused;
  await note(db, connection.id).catch((error) => {
    logger.warn({ connectionId: connection.id, error: String(error) }, 'status of a connection not written');
  });
}

function isRefusedCredential(error: unknown): boolean {
  return error instanceof GatewayError && error.details?.reason === 'unauthorized';
}

function tooLate(deadlineSeconds: number): GatewayError {
  return new GatewayError('ACTION_FAILED', `The action took longer than ${deadlineSeconds} seconds.`);
}

/** What a preset enforces is not the caller's to know, and third parties quote what they refuse. */
function toCallError(gateway: Gateway, { actionName, input, hiddenPaths }: Call, error: unknown) {
  const hide = hiderOf(hiddenValues(input, hiddenPaths));
  if (error instanceof GatewayError) return { code: error.code, message: hide(error.message), details: hideInside(error.details, hide) };
  if (error instanceof OutboundError) return { code: 'ACTION_FAILED', message: hide(error.message) };
  if (isDatabaseAway(error)) throw error;
  gateway.logger.error({ actionName, thrown: placeOf(error) }, 'an action threw');
  return { code: 'ACTION_FAILED', message: 'The action failed unexpectedly.' };
}

function hideInside(details: GatewayError['details'], hide: HideSecrets): GatewayError['details'] {
  return details && JSON.parse(JSON.stringify(details), (_, value) => (typeof value === 'string' ? hide(value) : value));
}

/** What was thrown and where; its message may quote the input, so it stays out of the log. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [error.name, ...frames.slice(0, 5)].join('\n');
}
