import { Client, Connection } from '@temporalio/client';

/** What Temporal says of workflows, and how an operator signals them. */
export interface Workflows {
  /** As RUNNING or COMPLETED; undefined while Temporal does not answer or knows of none. */
  statusOf(id: string, kind?: 'approval' | 'code-run'): Promise<string | undefined>;
  /** Events in its history. */
  historyLengthOf(approvalId: string): Promise<number>;
  signal(approvalId: string, name: string): Promise<void>;
  close(): Promise<void>;
}

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
