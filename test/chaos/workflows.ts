import { Client, Connection } from '@temporalio/client';

/** Reads workflows from Temporal, and signals them as an operator does. */
export interface Workflows {
  /** Returns undefined if Temporal does not answer or does not know the workflow. */
  statusOf(id: string, kind?: 'approval' | 'code-run'): Promise<string | undefined>;
  historyLengthOf(approvalId: string): Promise<number>;
  signal(approvalId: string, name: string): Promise<void>;
  close(): Promise<void>;
}

/** Connects to the Temporal server at this address. */
export function openWorkflows(address: string): Workflows {
  const connection = Connection.lazy({ address, channelArgs: { 'grpc.max_reconnect_backoff_ms': 500 } });
  const client = new Client({ connection, namespace: 'default' });
  const handleOf = (id: string, kind = 'approval') => client.workflow.getHandle(`${kind}/${id}`);
  return {
    statusOf: async (id, kind) => {
      const description = await client.withDeadline(Date.now() + 2000, () => handleOf(id, kind).describe()).catch(() => undefined);
      return description?.status.name;
    },
    historyLengthOf: async (approvalId) => (await handleOf(approvalId).describe()).historyLength,
    signal: (approvalId, name) => handleOf(approvalId).signal(name),
    close: () => connection.close(),
  };
}
