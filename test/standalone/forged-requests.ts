import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends bytes to a port of this machine. Returns the answer, or an empty text. */
export async function send(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(3_000, () => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.end(bytes);
  return text(socket).catch(() => '');
}

/** Path of the namespace in Temporal's HTTP API. */
export const NAMESPACE = '/api/v1/namespaces/default';
/** Path of an approval's workflow in Temporal's HTTP API. */
export const workflowPath = (id: string) => `${NAMESPACE}/workflows/${encodeURIComponent(`approval/${id}`)}`;

/** Requests that approve, reject, break or read pending approvals if Temporal accepts them. */
export function attacks(approvalId: string, taskQueue: string): [method: string, path: string, body: object | undefined][] {
  const payloads = [{ metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: Buffer.from('{"by":"boss@example.com"}').toString('base64') }];
  const visibilityQuery = "WorkflowType = 'approvalWorkflow'";
  const batch = (operation: object) => ({ namespace: 'default', jobId: 'x', reason: 'x', visibilityQuery, ...operation });
  const of = workflowPath(approvalId);
  return [
    ['POST', `${NAMESPACE}/batch-operations/x`, batch({ signalOperation: { signal: 'reject', input: { payloads } } })],
    ['POST', `${NAMESPACE}/batch-operations/y`, batch({ terminationOperation: {} })],
    ['POST', `${NAMESPACE}/batch-operations/z`, batch({ resetOperation: { options: { firstWorkflowTask: {} } } })],
    ['POST', `${of}/signal/approve`, { input: { payloads } }],
    ['POST', `${of}/signal/reject`, {}],
    ['POST', `${of}/signal/cancel`, {}],
    ['POST', `${of}/terminate`, { reason: 'x' }],
    ['POST', `${of}/cancel`, {}],
    ['POST', `${of}/reset`, { reason: 'x', requestId: 'x', workflowTaskFinishEventId: '4' }],
    ['POST', `${of}/update/x`, {}],
    ['POST', `${of}/query/__stack_trace`, {}],
    ['POST', `${NAMESPACE}/workflows/forged`, { workflowType: { name: 'approvalWorkflow' }, taskQueue: { name: taskQueue } }],
    ['GET', of, undefined],
    ['GET', `${NAMESPACE}/workflows`, undefined],
    ['GET', '/api/v1/namespaces', undefined],
  ];
}

/** Request heads that a foreign web page can cause. */
export function foreignHeads(port: number): [name: string, target: (path: string) => string, head: string[]][] {
  const here = `127.0.0.1:${port}`;
  const same = (path: string) => path;
  const form = 'Content-Type: text/plain';
  const hosts = [
    ...[
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.:${port}`,
      `127.0.0.1.:${port}`,
      `[::1]:${port}`,
    ],
    ...[
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.1:${port}`,
      `2130706433:${port}`,
      `0.0.0.0:${port}`,
      `${here}.evil.example`,
      `${here}@evil`,
      '',
    ],
  ];
  const origins = [
    'http://evil.example',
    'null',
    `http://127.0.0.1:${port + 1}`,
    `http://localhost:${port}`,
    `http://${here}.evil.example`,
  ];
  return [
    ...hosts.map((host): [string, typeof same, string[]] => [`Host ${host}`, same, [`Host: ${host}`, form]]),
    ...hosts.map((host): [string, typeof same, string[]] => [
      `Host and Origin ${host}`,
      same,
      [`Host: ${host}`, `Origin: http://${host}`, 'Sec-Fetch-Site: same-origin', 'Content-Type: application/json'],
    ]),
    ...origins.map((origin): [string, typeof same, string[]] => [`Origin ${origin}`, same, [`Host: ${here}`, `Origin: ${origin}`, form]]),
    ...['cross-site', 'same-site', 'none', 'same-origin, cross-site'].map((site): [string, typeof same, string[]] => [
      `Sec-Fetch-Site ${site}`,
      same,
      [`Host: ${here}`, `Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe', form],
    ]),
    ['two Hosts', same, [`Host: ${here}`, 'Host: evil.example', `Origin: http://${here}`, form]],
    ['absolute form', (path) => `http://evil.example${path}`, [`Host: ${here}`, `Origin: http://${here}`, form]],
    ['absolute form of this host', (path) => `http://${here}${path}`, ['Host: evil.example', `Origin: http://${here}`, form]],
    ['a target of two slashes', (path) => `//evil.example${path}`, [`Host: ${here}`, `Origin: http://${here}`, form]],
  ];
}

/** Returns the status of a raw HTTP answer, or 0 if the answer has no status. */
export const statusOf = (answer: string) => Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 0);
