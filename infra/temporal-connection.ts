import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type Connection, isGrpcServiceError } from '@temporalio/client';
import { openCircuitBreaker } from './circuit-breaker.ts';
import { type Config, required } from './config.ts';
import type { Logger } from './logger.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import { openClient, TemporalClients } from './temporal-clients.ts';
import { causeOf, isOutage, notInTime, toGatewayError } from './temporal-errors.ts';

/** In ms. Later answers become UNAVAILABLE. */
export const QUICK_MS = 1500;

/** A long call without an answer for this time triggers a ping: Temporal may be gone. */
const UNANSWERED_MS = 250;

/** Added to the time limit of a code run, so that a worker has time to restart. */
const PATIENCE_SECONDS = 60;

/** How long a call waits for an open circuit to close. */
const RECOVERY_MS = 1000;

/** No workflow has this id. The look-up reaches Temporal's database and changes nothing. */
const PROBE_WORKFLOW_ID = 'gateway-probe';

/** Calls to Temporal, each under a deadline. */
export interface TemporalConnection {
  /** Runs a call that takes milliseconds. Throws UNAVAILABLE in an outage. */
  quick<Value>(call: (client: Client) => Promise<Value>): Promise<Value>;
  /** Runs a call that may take as long as a code run. Throws UNAVAILABLE soon in an outage. */
  patient<Value>(call: (client: Client) => Promise<Value>): Promise<Value>;
  /** Like `ping`, but shared by concurrent callers. Waits briefly for an open circuit to close. */
  reachable(): Promise<void>;
  /**
   * Resolves when Temporal and its database answer and our search attributes are registered.
   * Otherwise rejects.
   */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a connection with a circuit breaker: after the first failed call of an outage, all others
 * fail at once. `quickMs`: time limit of a short call.
 */
export function openTemporalConnection(config: Config, logger: Logger, quickMs: number): TemporalConnection {
  const { address, namespace } = config.temporal;
  const clients = new TemporalClients(() => openClient(required(address, 'TEMPORAL_ADDRESS'), namespace));
  const circuit = openCircuitBreaker({
    isOutage,
    probe: () => clients.probe(QUICK_MS, (client) => askForNothing(client, namespace)),
    onOpen: (error) => {
      clients.discard();
      logger.warn({ error: String(error), cause: causeOf(error) }, 'temporal circuit opened, calls fail fast until temporal answers');
    },
    onClose: (openMs) => logger.warn({ openMs }, 'temporal circuit closed'),
  });

  const run = async <Value>(deadlineMs: number, call: (client: Client) => Promise<Value>): Promise<Value> => {
    try {
      return await circuit.run(() => clients.call(deadlineMs, call));
    } catch (error) {
      throw toGatewayError(error, logger);
    }
  };
  const quick: TemporalConnection['quick'] = (call) => run(quickMs, call);

  let attributesKnown = false;
  const ping = () =>
    run(quickMs, async (client) => {
      await askForNothing(client, namespace);
      if (attributesKnown) return;
      await ensureSearchAttributes(client.connection as Connection, namespace);
      attributesKnown = true;
    });

  const patientMs = (config.code.limitSeconds + PATIENCE_SECONDS) * 1000;
  const patient: TemporalConnection['patient'] = async (call) => {
    await circuit.untilClosed(RECOVERY_MS);
    const answer = run(patientMs, (client) => call(client).catch(notInTime));
    answer.catch(() => {}); // the ping may have failed first
    const isQuick = attributesKnown && (await Promise.race([answer.then(() => true), delay(UNANSWERED_MS, false, { ref: false })]));
    if (!isQuick) await ping();
    return answer;
  };

  let pinging: Promise<void> | undefined;
  const reachable = async () => {
    await circuit.untilClosed(RECOVERY_MS);
    pinging ??= ping().finally(() => {
      pinging = undefined;
    });
    await pinging;
  };

  return {
    quick,
    patient,
    reachable,
    ping,
    close: () => {
      circuit.stop();
      return clients.close();
    },
  };
}

/** gRPC codes that prove that Temporal is alive: NOT_FOUND, UNIMPLEMENTED. */
const ANSWERS = [5, 12];

async function askForNothing({ workflowService }: Client, namespace: string): Promise<void> {
  try {
    await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId: PROBE_WORKFLOW_ID } });
  } catch (error) {
    if (!isGrpcServiceError(error) || !ANSWERS.includes(error.code)) throw error;
  }
}
