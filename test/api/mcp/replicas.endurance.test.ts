import { rmSync } from 'node:fs';
import { childEnvironment } from '../../../infra/config.ts';
import type { Db } from '../../../infra/database.ts';
import { freePort } from '../../../standalone/free-port.ts';
import { apiUrlOf, startProcess, waitUntilReady } from '../../../standalone/gateway-processes.ts';
import type { Program } from '../../../standalone/run-program.ts';
import { cloneDatabase, temporalAddress, testEnvironment } from '../../support/ask-test-bed.ts';
import { type Caller, callerOf } from '../../support/caller.ts';
import { extent } from '../../support/extent.ts';
import { type Mailbox, openMailbox, readMail } from '../../support/mailbox.ts';
import { newOrg } from '../../support/new-org.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { openRoundRobinProxy, type RoundRobinProxy } from '../../support/round-robin-proxy.ts';
import { makeTestFolder, READY_SECONDS } from '../../support/test-bed.ts';
import { aClient, anAuthorization, aPerson, aServer, callServer, postForm, REDIRECT_URI } from '../oauth/oauth-bed.ts';
import { aBrowser } from '../oauth/plain-browser.ts';

const REPLICAS = 3;
const CALLS = extent({ whole: 10_000, sample: 1000 });
const CONCURRENCY = 16;

let bed: { apiUrl: string; api: Caller; workspaceId: string; mailbox: Mailbox };
let replicas: Program[];
let proxy: RoundRobinProxy;
let db: Db;
let dropDatabase: () => Promise<void>;
let folder: string;

beforeAll(async () => {
  const [database, common, address, mailbox, ...ports] = await Promise.all([
    cloneDatabase(),
    testEnvironment(),
    temporalAddress(),
    openMailbox(),
    ...Array.from({ length: REPLICAS + 1 }, () => freePort(0)),
  ]);
  dropDatabase = database.drop;
  folder = makeTestFolder('gateway-replicas-');
  const [proxyPort, ...apiPorts] = ports;
  const apiUrl = apiUrlOf('127.0.0.1', proxyPort!);
  const shared = {
    ...common,
    ...{
      HOST: '127.0.0.1',
      TEMPORAL_ADDRESS: address,
      DATABASE_URL: database.url,
      BASE_URL: apiUrl,
      PLATFORM_URL: apiUrl,
      RATE_LIMIT_PER_SECOND: '0',
    },
    ...{ SMTP_URL: mailbox.url, MAIL_FROM: 'Gateway <gateway@example.com>', LOG_LEVEL: 'warn' },
  };
  replicas = await Promise.all(apiPorts.map((port) => startProcess('api', folder, childEnvironment({ ...shared, PORT: String(port) }))));
  const urls = apiPorts.map((port) => apiUrlOf('127.0.0.1', port));
  await Promise.all(urls.map((url) => waitUntilReady(url, READY_SECONDS)));
  proxy = await openRoundRobinProxy(proxyPort!, urls);
  db = patientDatabase(database.url);
  const { plainKey, workspaceId } = await newOrg(database.url);
  bed = { apiUrl, api: callerOf(apiUrl, plainKey), workspaceId, mailbox };
}, 240_000);

afterAll(async () => {
  proxy?.close();
  await Promise.all([...(replicas ?? []).map((replica) => replica.kill()), bed?.mailbox.close(), db?.destroy()]);
  await dropDatabase?.();
  if (folder) rmSync(folder, { recursive: true, force: true });
}, 60_000);

test(`killing a replica during ${CALLS} calls loses no acknowledged call and no sign-in`, async () => {
  const settings = { persistence: { scope: 'workspace' } };
  const path = `/api/v1/workspaces/${bed.workspaceId}/integrations`;
  await bed.api.must(201).post(path, { integrationName: 'kv-store', alias: 'kv', settings });
  const [server] = await Promise.all([aServer(bed, { authMode: 'oauth_and_bearer' }), aPerson(bed, 'ada@example.com')]);
  const { bearerToken } = await bed.api.must(200).post(`/api/v1/mcp/servers/${server.id}/regenerate-token`);

  const { client_id } = await aClient(bed);
  const { url, verifier } = anAuthorization(bed, client_id, server.mcpEndpoint);
  const browser = aBrowser();
  await browser.open(url);
  await browser.submit({ email: 'ada@example.com' });
  expect(browser.path).toBe('/sign-in/code');

  const acknowledged: string[] = [];
  const broken: string[] = [];
  let started = 0;
  const callOnAndOn = async () => {
    while (started < CALLS) {
      const key = `key-${started++}`;
      if (started === Math.floor(CALLS / 3)) void replicas[1]!.kill();
      const params = { name: 'kv__put', arguments: { key, value: key } };
      const answer = await callServer(server, bearerToken, 'tools/call', params).catch(() => undefined);
      const { result } = (answer?.body ?? {}) as { result?: { isError: boolean } };
      if (answer?.status === 200 && result?.isError === false) acknowledged.push(key);
      else broken.push(key);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, callOnAndOn));
  // Only requests in flight at the killed replica can fail.
  expect(broken.length).toBeLessThanOrEqual(CONCURRENCY);
  expect(acknowledged.length + broken.length).toBe(CALLS);

  const stored = new Set<string>(await db('kv_entries').pluck('key'));
  expect(acknowledged.filter((key) => !stored.has(key))).toEqual([]);
  const recorded = await db('calls').where({ action_name: 'put', status: 'succeeded' }).count({ count: '*' });
  expect(Number(recorded[0]!.count)).toBeGreaterThanOrEqual(acknowledged.length);
  expect(Math.min(...proxy.answered)).toBeGreaterThan(CALLS / 20);

  // This continues the sign-in that began while all replicas were running.
  const before = [...proxy.answered];
  await browser.submit({ code: /\d{6,8}/.exec(readMail(bed.mailbox.mails.at(-1)!.raw).text)![0] });
  await browser.submit({}, 'Allow');
  const code = browser.leftTo!.searchParams.get('code')!;
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id };
  const { status, body: tokens } = await postForm(bed, '/oauth/token', { ...exchange, code_verifier: verifier });
  expect(status).toBe(200);
  expect((await callServer(server, tokens.access_token)).status).toBe(200);
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id };
  const { body: fresh } = await postForm(bed, '/oauth/token', refresh);
  expect((await callServer(server, fresh.access_token)).status).toBe(200);
  expect(await postForm(bed, '/oauth/token', refresh)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect((await callServer(server, fresh.access_token)).status).toBe(401);
  const taken = proxy.answered.map((count, index) => count - before[index]!);
  expect(taken).toEqual([expect.any(Number), 0, expect.any(Number)]);
  expect(Math.min(taken[0]!, taken[2]!)).toBeGreaterThan(0);
}, 300_000);
