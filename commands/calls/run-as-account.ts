import type { Call } from '../../domain/call.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { Outbound, OutboundRequest } from '../../domain/outbound.ts';
import type { AuthValue } from '../../integrations/definition.ts';
import type { UsableConnection } from '../../store/usable-connections.ts';
import { noteConnectionStatus } from '../connections/note-connection-status.ts';
import { currentCredentials, renewCredentials } from '../connections/refresh-connection.ts';
import type { Gateway } from '../gateway.ts';

interface AccountCall {
  call: Pick<Call, 'idempotent'>;
  connection: UsableConnection;
  outbound: Outbound;
  signal: AbortSignal;
}

/**
 * Runs an action with the credentials of its account. If an access token is refused, renews the
 * token and runs the action again, unless this could repeat a change (decision record 77). Throws
 * CONNECTION_REQUIRED.
 */
export async function runAsAccount<Output>(
  gateway: Gateway,
  { call, connection, outbound, signal }: AccountCall,
  run: (auth: AuthValue, outbound: Outbound) => Output | Promise<Output>,
): Promise<Output> {
  const auth = await currentCredentials(gateway, connection);
  const watched = watchRequests(outbound);
  let output: Output;
  try {
    output = await run(auth, watched.outbound);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const renewed = await renewRefused(gateway, connection, auth, error);
    if (!call.idempotent && watched.mayHaveActed()) throw notRepeated(connection, error);
    signal.throwIfAborted();
    return run(renewed, outbound);
  }
  await noteConnectionStatus(gateway, connection, true);
  return output;
}

function isRefusal(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.details?.reason === 'unauthorized';
}

async function renewRefused(gateway: Gateway, connection: UsableConnection, auth: AuthValue, refusal: GatewayError): Promise<AuthValue> {
  // A refusal without a status comes from the action itself: the account lacks a needed value.
  const isGrant = 'accessToken' in auth && refusal.details?.status !== undefined;
  const renewed = isGrant ? await renewCredentials(gateway, connection, auth.accessToken) : undefined;
  if (renewed) return renewed;
  await noteConnectionStatus(gateway, connection, false);
  const { integrationName } = connection;
  throw isGrant ? new GatewayError('CONNECTION_REQUIRED', refusal.message, { ...refusal.details, integrationName }) : refusal;
}

function notRepeated({ integrationName }: UsableConnection, { details }: GatewayError): GatewayError {
  const message = `${integrationName} refused the access in the middle of the action, which may have taken effect in part. The access was refreshed, but the action was not repeated.`;
  return new GatewayError('ACTION_FAILED', message, details);
}

/** Safe methods, which only read (RFC 9110, section 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** `mayHaveActed` leaves out the last request, because the third party refused it. */
function watchRequests(outbound: Outbound): { outbound: Outbound; mayHaveActed(): boolean } {
  const methods: string[] = [];
  const watch = (request: OutboundRequest) => {
    methods.push(request.method ?? 'GET');
    return request;
  };
  return {
    outbound: {
      ...outbound,
      request: (request) => outbound.request(watch(request)),
      stream: (request) => outbound.stream(watch(request)),
    },
    mayHaveActed: () => methods.slice(0, -1).some((method) => !SAFE_METHODS.has(method)),
  };
}
