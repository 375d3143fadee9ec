import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { readConfig } from '../../infra/config.ts';
import { openLogger } from '../../infra/logger.ts';
import { openTemporal } from '../../infra/temporal.ts';

const NOBODY = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_NAMESPACE: 'default', TEMPORAL_TASK_QUEUE: 'gateway' };
const RUN = { codeRunId: 'crun_0000000000000000000000', orgId: 'o', workspaceId: 'w', serverName: 's' };

// What a call throws where nobody can catch it ends a process, and fails this file.
test('while Temporal has never been there every call says so, one after another and all at once, and none hangs', async () => {
  const temporal = openTemporal(readConfig(NOBODY), openLogger('silent', {}));
  const outcome = () => temporal.startCodeRun(RUN).catch((error) => error.code);
  for (let round = 0; round < 5; round += 1) expect(await outcome()).toBe('UNAVAILABLE');
  expect(await Promise.all(Array.from({ length: 10 }, outcome))).toEqual(Array(10).fill('UNAVAILABLE'));
  await expect(temporal.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await temporal.close();
});

/** To the registering of search attributes, which a server need not let us do. */
const UNIMPLEMENTED = 12;
const EMPTY_MESSAGE = Buffer.alloc(5);

test.each([
  ['FAILED_PRECONDITION', 9, 'Unable to perform workflow execution update due to Workflow Task in failed state.'],
  ['ABORTED', 10, 'Workflow Update was aborted.'],
])('an update that Temporal refuses with %s because a worker failed is an outage, not an error of ours', async (_name, code, message) => {
  const asked: string[] = [];
  const server = createServer().on('stream', (stream, headers) => {
    const method = String(headers[':path']).split('/').at(-1)!;
    asked.push(method);
    const [answer, words] = { GetSystemInfo: [0, ''], UpdateWorkflowExecution: [code, message] }[method] ?? [UNIMPLEMENTED, ''];
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': `${answer}`, 'grpc-message': words }));
    stream.end(answer === 0 ? EMPTY_MESSAGE : undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const temporal = openTemporal(readConfig({ ...NOBODY, TEMPORAL_ADDRESS: `127.0.0.1:${port}` }), openLogger('silent', {}));
  await temporal.ping();
  await expect(temporal.awaitFirstPass(RUN.codeRunId)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(asked).toContain('UpdateWorkflowExecution');
  await temporal.close();
  server.close();
});
