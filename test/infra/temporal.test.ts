import { once } from 'node:events';
import { createServer } from 'node:http2';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { readConfig } from '../../infra/config.ts';
import { openLogger } from '../../infra/logger.ts';
import { openTemporal } from '../../infra/temporal.ts';
import { system, temporalAddress } from '../support/system.ts';
import { until } from '../support/until.ts';

const NOBODY = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_NAMESPACE: 'default', TEMPORAL_TASK_QUEUE: 'gateway' };
const RUN = { codeRunId: 'crun_0000000000000000000000', orgId: 'o', workspaceId: 'w', serverName: 's' };

test('while Temporal is unreachable, sequential and concurrent calls fail, and no call hangs', async () => {
  const temporal = openTemporal(readConfig(NOBODY), openLogger('silent', {}));
  const outcome = () => temporal.startCodeRun(RUN).catch((error) => error.code);
  for (let round = 0; round < 5; round += 1) expect(await outcome()).toBe('UNAVAILABLE');
  expect(await Promise.all(Array.from({ length: 10 }, outcome))).toEqual(Array(10).fill('UNAVAILABLE'));
  await expect(temporal.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await temporal.close();
});

const UNIMPLEMENTED = 12;
const EMPTY_MESSAGE = Buffer.alloc(5);

/** Returns the answer to a method. For undefined, the server does not answer. */
type Answering = (method: string) => [code: number, message: string] | undefined;

async function aServer(answering: Answering) {
  const asked: string[] = [];
  const server = createServer().on('stream', (stream, headers) => {
    const method = String(headers[':path']).split('/').at(-1)!;
    asked.push(method);
    stream.on('error', () => {});
    const answer = answering(method);
    if (!answer) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': `${answer[0]}`, 'grpc-message': answer[1] }));
    stream.end(answer[0] === 0 ? EMPTY_MESSAGE : undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const config = readConfig({ ...NOBODY, TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
  return { asked, temporal: openTemporal(config, openLogger('silent', {})), close: () => server.close() };
}

test.each([
  ['FAILED_PRECONDITION', 9, 'Unable to perform workflow execution update due to Workflow Task in failed state.'],
  ['ABORTED', 10, 'Workflow Update was aborted.'],
])('an update refused with %s is UNAVAILABLE for its caller, and the next call still reaches Temporal', async (_name, code, message) => {
  const answers: Record<string, [number, string]> = { GetSystemInfo: [0, ''], UpdateWorkflowExecution: [code, message] };
  const { asked, temporal, close } = await aServer((method) => answers[method] ?? [UNIMPLEMENTED, '']);
  await temporal.ping();
  await expect(temporal.continueCodeRun(RUN.codeRunId)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(asked).toContain('UpdateWorkflowExecution');
  await expect(temporal.ping()).resolves.toBeUndefined();
  await temporal.close();
  close();
});

test('while Temporal refuses to add search attributes, the error names them and the namespace', async () => {
  const answers: Record<string, [number, string]> = {
    GetSystemInfo: [0, ''],
    ListSearchAttributes: [0, ''],
    AddSearchAttributes: [7, 'denied'],
  };
  const { temporal, close } = await aServer((method) => answers[method] ?? [UNIMPLEMENTED, '']);
  await expect(temporal.ping()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/^Temporal refuses .* namespace default: .*GatewayOrg/),
  });
  await temporal.close();
  close();
});

const DELIVERY = { deliveryId: 'd', approvalId: 'a', orgId: 'o', eventType: 'approval.requested', delaySeconds: 1 };

// If each call waited for a timeout, the test would exceed its time limit.
test.each([
  ['is refused', async () => ({ address: NOBODY.TEMPORAL_ADDRESS })],
  ['has an unknown name', async () => ({ address: 'no-such-host.invalid:7233' })],
  ['is silent', async () => aSocketServer(() => {})],
  ['is reset', async () => aSocketServer((socket) => socket.resetAndDestroy())],
  ['is not gRPC', async () => aSocketServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))],
])('if the connection to Temporal %s, a hundred calls fail without waiting for a timeout each', async (_, open) => {
  const server: { address: string; close?: () => void } = await open();
  const temporal = openTemporal(readConfig({ ...NOBODY, TEMPORAL_ADDRESS: server.address }), openLogger('silent', {}));
  for (let round = 0; round < 100; round += 1)
    await expect(temporal.startDelivery(DELIVERY)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(temporal.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await temporal.close();
  server.close?.();
});

async function aSocketServer(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket.on('error', () => {}).resume());
    answer(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

describe('a server that hangs', () => {
  test('gets one call, and later calls fail immediately until a probe succeeds', async () => {
    let hangs = false;
    const { asked, temporal, close } = await aServer((method) =>
      hangs ? undefined : [method === 'GetSystemInfo' ? 0 : UNIMPLEMENTED, ''],
    );
    const start = () => temporal.startDelivery(DELIVERY).catch((error) => error.code ?? 'answered');
    const starts = () => asked.filter((method) => method === 'StartWorkflowExecution').length;
    expect(await start()).toBe('answered');
    hangs = true;
    expect(await start()).toBe('UNAVAILABLE');
    for (let round = 0; round < 200; round += 1) expect(await start()).toBe('UNAVAILABLE');
    await expect(temporal.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await temporal.startCodeRun(RUN).catch((error) => error.code)).toBe('UNAVAILABLE');
    expect(starts()).toBe(2);
    hangs = false;
    while ((await start()) === 'UNAVAILABLE') await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(temporal.ping()).resolves.toBeUndefined();
    await temporal.close();
    close();
  });

  test('is UNAVAILABLE even if it answers GetSystemInfo', async () => {
    const { temporal, close } = await aServer((method) => (method === 'GetSystemInfo' ? [0, ''] : undefined));
    await expect(temporal.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await temporal.close();
    close();
  });
});

test('hasWorker is true exactly for a task queue that a worker polls', async () => {
  const [{ taskQueue }, address] = [await system(), await temporalAddress()];
  for (const [queue, isSeen] of [
    [taskQueue, true],
    ['nobody-polls-this', false],
  ] as const) {
    const config = readConfig({ ...NOBODY, TEMPORAL_ADDRESS: address, TEMPORAL_TASK_QUEUE: queue });
    const temporal = openTemporal(config, openLogger('silent', {}));
    if (isSeen) await until(() => temporal.hasWorker());
    expect(await temporal.hasWorker()).toBe(isSeen);
    await temporal.close();
  }
});
