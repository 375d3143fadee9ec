import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app.ts';
import { openServer } from '../../api/open-server.ts';
import { openGateway } from '../../composition/open-gateway.ts';
import { readConfig } from '../../infra/config.ts';

/**
 * Runs the API. Answers each message with `{ longestMs }`: the longest turn of the event loop since
 * the last answer, as processor time of the main thread. Elapsed time would also measure how busy
 * the machine is.
 */
const gateway = openGateway(readConfig(), 'admin');
const server = openServer(createApp(gateway).callback(), gateway.logger).listen(0, '127.0.0.1');
await once(server, 'listening');

let [longest, last] = [0, cpuMs()];
const turn = () => {
  const now = cpuMs();
  longest = Math.max(longest, now - last);
  last = now;
  setTimeout(turn, 1);
};
turn();

process.on('message', () => {
  process.send!({ longestMs: longest });
  [longest, last] = [0, cpuMs()];
});
process.once('disconnect', () => process.exit(0));
process.send!({ apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
