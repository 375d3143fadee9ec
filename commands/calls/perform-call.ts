import { boundError } from '../../domain/bound-error.ts';
import type { Call, CallError, CallOutcome } from '../../domain/call.ts';
import { GatewayError } from '../../domain/errors.ts';
import { isDeeperThan } from '../../domain/is-deeper-than.ts';
import { ACTION_DEADLINE_SECONDS, OUTPUT_MAX_DEPTH } from '../../domain/limits.ts';
import type { Outbound } from '../../domain/outbound.ts';
import { hiddenValues } from '../../domain/redaction/hidden-values.ts';
import { type HideSecrets, hiderOf } from '../../domain/redaction/hide-secrets.ts';
import { rejectOnAbort } from '../../infra/concurrency/reject-on-abort.ts';
import { isDatabaseUnavailable } from '../../infra/database.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { OutboundError } from '../../infra/outbound-error.ts';
import type { ActionContext, AuthValue } from '../../integrations/definition.ts';
import type { UsableConnection } from '../../store/usable-connections.ts';
import { openState } from '../agent-state/open-state.ts';
import type { Gateway } from '../gateway.ts';
import { openActionSandbox } from '../programs/action-sandbox.ts';
import { judgeRedirects } from './judge-redirects.ts';
import type { PreparedCall } from './prepare-call.ts';
import { runAsAccount } from './run-as-account.ts';

/**
 * Runs the action of an admitted call under its deadline. A failed action is an outcome too. Throws
 * if Postgres is unavailable.
 */
export async function performCall(gateway: Gateway, { call, action, instance, connection }: PreparedCall): Promise<CallOutcome> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  const deadline = new AbortController();
  const { signal } = deadline;
  const deadlineSeconds = deadlineSecondsOf({ action, instance });
  const timer = setTimeout(() => deadline.abort(tooLate(deadlineSeconds)), deadlineSeconds * 1000);
  const contextWith = (auth: AuthValue | null, outbound: Outbound): ActionContext => ({
    input: call.input,
    auth,
    now: () => new Date(),
    signal,
    outbound,
    state: () =>
      openState(gateway, {
        orgId: call.orgId,
        workspaceId: call.workspaceId,
        persistence: instance?.settings.persistence,
        endUserId: call.endUserId,
      }),
    sandbox: () => openActionSandbox(gateway, { ...call, settings: instance?.settings.advancedCode, signal }),
    remoteTools: () => gateway.remoteSessions.of(sessionOwner(call, connection)),
    schedule: (work) => gateway.schedulers.threads.run({ tenantId: call.orgId, signal }, work),
  });
  const outbound = judgeRedirects(gateway, call);
  const runAs = async (auth: AuthValue | null, watched: Outbound) => action.run(contextWith(auth, watched));
  const run = () => (connection ? runAsAccount(gateway, { call, connection, outbound, signal }, runAs) : runAs(null, outbound));
  try {
    const output = await Promise.race([run(), rejectOnAbort(signal)]);
    await breathe();
    if (isDeeperThan(OUTPUT_MAX_DEPTH, output)) throw tooDeep();
    return { ok: true, output: output ?? null, durationMs: durationMs() };
  } catch (error) {
    return { ok: false, error: toCallError(gateway, call, signal.aborted ? signal.reason : error), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * End users who share an account do not share a session, because the third party can keep data of
 * one end user in the session.
 */
function sessionOwner({ workspaceId, endUserId, integrationName }: Call, connection: UsableConnection | null): string {
  return JSON.stringify([workspaceId, endUserId, integrationName, connection?.id ?? null, connection?.credentialsVersion ?? null]);
}

/** The number of seconds that an action may take. */
export function deadlineSecondsOf({ action, instance }: Pick<PreparedCall, 'action' | 'instance'>): number {
  return action.deadlineSeconds?.(instance?.settings ?? {}) ?? ACTION_DEADLINE_SECONDS;
}

function tooLate(deadlineSeconds: number): GatewayError {
  return new GatewayError('ACTION_FAILED', `The action took longer than ${deadlineSeconds} seconds.`);
}

/**
 * Deeper outputs are dropped, so the code that stores or shows outputs needs no limit of depth.
 */
function tooDeep(): GatewayError {
  const message = `The action ran, but its output is nested deeper than ${OUTPUT_MAX_DEPTH} levels and was dropped.`;
  return new GatewayError('ACTION_FAILED', message, { reason: 'too_deep' });
}

/** Hides enforced preset values, because third parties quote input that they refuse. */
function toCallError(gateway: Gateway, { actionName, input, hiddenPaths }: Call, error: unknown): CallError {
  const hide = hiderOf(hiddenValues(input, hiddenPaths));
  if (error instanceof GatewayError)
    return { code: error.code, ...boundError({ message: hide(error.message), details: hideInside(error.details, hide) }) };
  if (error instanceof OutboundError) return { code: 'ACTION_FAILED', ...boundError({ message: hide(error.message) }) };
  if (isDatabaseUnavailable(error)) throw error;
  gateway.logger.error({ actionName, thrown: placeOf(error) }, 'action threw an unexpected error');
  return { code: 'ACTION_FAILED', message: 'The action failed unexpectedly.' };
}

function hideInside(details: GatewayError['details'], hide: HideSecrets): GatewayError['details'] {
  return details && JSON.parse(JSON.stringify(details), (_, value) => (typeof value === 'string' ? hide(value) : value));
}

/** Leaves out the message, which can quote the input. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [error.name, ...frames.slice(0, 5)].join('\n');
}
