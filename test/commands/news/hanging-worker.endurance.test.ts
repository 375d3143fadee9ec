import { openGateway } from '../../../composition/open-gateway.ts';
import { readConfig } from '../../../infra/config.ts';
import { WORKER_HEARTBEAT } from '../../../store/worker-heartbeat.ts';
import { signInMember } from '../../support/dashboard/sign-in-member.ts';
import { newOrg } from '../../support/new-org.ts';
import { type OwnSystem, startSystem } from '../../support/own-system.ts';
import { testEnvironment } from '../../support/system.ts';
import { until } from '../../support/until.ts';

let system: OwnSystem;
let gateway: ReturnType<typeof openGateway>;
let cookie: string;
beforeAll(async () => {
  system = await startSystem();
  const { orgId } = await newOrg(system.databaseUrl, 'Watched');
  gateway = openGateway(readConfig({ ...(await testEnvironment()), DATABASE_URL: system.databaseUrl, LOG_LEVEL: 'silent' }), 'admin');
  const { sessionToken } = await signInMember(gateway, { orgId, role: 'owner', email: 'olga@example.com', name: 'Olga' });
  cookie = `gateway=${sessionToken}`;
});
afterAll(async () => {
  await gateway?.close();
  await system?.stop();
});

const overview = async () => (await fetch(`${system.apiUrl}/app`, { headers: { Cookie: cookie, Accept: 'text/html' } })).text();
function heartbeat(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = gateway.notices.subscribe(WORKER_HEARTBEAT, (payload) => payload !== undefined && resolve());
  return promise.finally(stop);
}

const AWAY = 'No worker runs. Webhooks and code runs wait for a worker.';

test('while a page is open, the overview shows within 15 seconds that the worker hangs, and later that it works', async () => {
  const { body } = await fetch(`${system.apiUrl}/app/events`, { headers: { Cookie: cookie } });
  const openPage = body!.getReader();
  void (async () => {
    while (!(await openPage.read()).done);
  })();
  await until(async () => /Worker[\s\S]{0,200}Works/.test(await overview()));
  // The service starts to listen within 5 seconds after the first page opens.
  for (let heard = 0; heard < 4; heard += 1) await heartbeat();
  system.worker.signal('SIGSTOP');
  const stoppedAt = performance.now();
  await until(async () => (await overview()).includes(AWAY));
  expect(performance.now() - stoppedAt).toBeLessThan(15_000);
  expect(await overview()).toMatch(/Worker[\s\S]{0,200}No worker runs\./);
  system.worker.signal('SIGCONT');
  await until(async () => !(await overview()).includes(AWAY));
  await openPage.cancel();
}, 120_000);
