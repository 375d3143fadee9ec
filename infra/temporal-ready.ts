import { Client, credentials } from '@grpc/grpc-js';
import { retry } from './concurrency/retry.ts';

const RETRY_MS = 25;
const DESCRIBE = '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace';

/**
 * Resolves when a Temporal server describes the namespace. Rejects with the last error once `until`
 * is aborted. Does not load Temporal's client, whose memory the process of `npm start` would keep.
 */
export function waitForTemporal(address: string, namespace: string, until: AbortSignal): Promise<void> {
  return retry({ until, backoff: { firstMs: RETRY_MS } }, async () => {
    const client = new Client(address, credentials.createInsecure());
    try {
      await describeNamespace(client, namespace);
    } finally {
      client.close();
    }
  });
}

function describeNamespace(client: Client, namespace: string): Promise<void> {
  const deadline = Date.now() + 2_000;
  return new Promise((resolve, reject) => {
    const same = (bytes: Buffer) => bytes;
    const onAnswer = (error: Error | null) => (error ? reject(error) : resolve());
    client.makeUnaryRequest(DESCRIBE, same, same, describeRequest(namespace), { deadline }, onAnswer);
  });
}

/** The request in protobuf's encoding: field 1 is the name. */
function describeRequest(namespace: string): Buffer {
  const name = Buffer.from(namespace);
  if (name.length > 127) throw new Error('The name of a Temporal namespace has at most 127 bytes.');
  return Buffer.concat([Buffer.from([0x0a, name.length]), name]);
}
