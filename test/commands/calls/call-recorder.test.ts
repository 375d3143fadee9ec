import { randomUUID } from 'node:crypto';
import { openCallRecorder } from '../../../commands/calls/call-recorder.ts';
import type { Call } from '../../../domain/call.ts';
import { type Db, isDatabaseUnavailable } from '../../../infra/database.ts';
import type { FinishedCall } from '../../../store/calls.ts';
import { openPostgresWire, type PostgresWire } from '../../chaos/postgres-wire.ts';
import { newOrg } from '../../support/new-org.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { cloneDatabase } from '../../support/system.ts';

const RECORDS = 'insert-finished-calls';
const CONNECTIONS = 20;

let database: { url: string; drop(): Promise<void> };
let wire: PostgresWire;
/** Connects through a proxy that can drop statements and their answers. */
let db: Db;
let patient: Db;
let orgId: string;
let fateOf: (statement: number) => 'arrives' | 'lost before' | 'lost after';
let statements: number;

beforeAll(async () => {
  database = await cloneDatabase();
  const { hostname, port } = new URL(database.url);
  wire = await openPostgresWire({ host: hostname, port: Number(port) }, ({ label }) => {
    const fate = label === RECORDS ? fateOf(++statements) : 'arrives';
    return {
      before: async () => (fate === 'lost before' ? 'drop' : 'forward'),
      after: async () => (fate === 'lost after' ? 'drop' : 'forward'),
    };
  });
  const url = new URL(database.url);
  url.port = String(wire.port);
  db = patientDatabase(url.href, CONNECTIONS);
  patient = patientDatabase(database.url);
  ({ orgId } = await newOrg(database.url));
});
afterAll(async () => {
  await db?.destroy();
  await patient?.destroy();
  await wire?.close();
  await database?.drop();
});
beforeEach(() => {
  statements = 0;
  fateOf = () => 'arrives';
});

function ran(endUserId: string, fields: Partial<Call> = {}): FinishedCall {
  const call = {
    ...{ orgId, workspaceId: randomUUID(), source: 'rest', mcpServerId: null, workspaceIntegrationId: null, connectionId: null },
    ...{ integrationName: 'datetime', integrationAlias: 'datetime', actionName: 'parse_date' },
    ...{ endUserId, requestedBy: { type: 'api_key', id: randomUUID() }, ...fields },
  } as Call;
  return { call, inputHash: `hash of ${endUserId}`, outcome: { ok: true, output: 1, durationMs: 1 }, startedAt: new Date() };
}

const recorded = (prefix: string): Promise<string[]> =>
  patient('calls').where('end_user_id', 'like', `${prefix}%`).orderByRaw('ctid').pluck('end_user_id');

test('a call that ends alone is recorded immediately, with all fields', async () => {
  const one = ran('alone', { mcpServerId: randomUUID(), connectionId: randomUUID() });
  await openCallRecorder(db)({ ...one, outcome: { ok: false, error: { code: 'ACTION_FAILED', message: 'no' }, durationMs: 1 } });
  expect(await patient('calls').where({ end_user_id: 'alone' }).first()).toMatchObject({
    ...{ org_id: orgId, workspace_id: one.call.workspaceId, source: 'rest', mcp_server_id: one.call.mcpServerId },
    ...{ workspace_integration_id: null, integration_name: 'datetime', integration_alias: 'datetime', action_name: 'parse_date' },
    ...{ connection_id: one.call.connectionId, requested_by_type: 'api_key', requested_by_id: one.call.requestedBy.id },
    ...{ input_hash: 'hash of alone', status: 'failed', started_at: one.startedAt, finished_at: expect.any(Date), outcome: null },
  });
  expect(statements).toBe(1);
});

test('calls that end together are recorded in order by few statements, and answered after that', async () => {
  const record = openCallRecorder(db);
  const names = Array.from({ length: 1000 }, (_, index) => `together-${String(index).padStart(4, '0')}`);
  const answered = await Promise.all(
    names.map(async (name) => {
      await record(ran(name));
      return name;
    }),
  );
  expect(answered).toEqual(names);
  expect((await recorded('together-')).toSorted()).toEqual(names);
  // The first call is written alone. All others arrive before that statement is answered.
  expect(statements).toBe(2);
  expect(await recorded('together-')).toEqual(names);
});

test('a record that cannot be stored fails only its own call', async () => {
  const record = openCallRecorder(db);
  const calls = [ran('mixed-1'), ran('mixed-2'), ran('mixed-3', { orgId: randomUUID() }), ran('mixed-\0'), ran('mixed-5')];
  const results = await Promise.allSettled(calls.map(record));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(results[2]).toMatchObject({ reason: { code: '23503' } });
  expect(results[3]).toMatchObject({ reason: { code: '22P05' } });
  expect(await recorded('mixed-')).toEqual(['mixed-1', 'mixed-2', 'mixed-5']);
});

test('after lost connections, only recorded calls are answered, and each is recorded once', async () => {
  fateOf = (statement) => (statement % 3 === 0 ? 'lost before' : statement % 3 === 1 ? 'lost after' : 'arrives');
  const record = openCallRecorder(db);
  const answered: string[] = [];
  const refusals: unknown[] = [];
  for (let round = 0; round < 10; round += 1) {
    const names = Array.from({ length: 100 }, (_, index) => `torn-${round}-${index}`);
    await Promise.all(
      names.map((name) =>
        record(ran(name)).then(
          () => answered.push(name),
          (error) => refusals.push(error),
        ),
      ),
    );
  }
  const kept = await recorded('torn-');
  expect(answered.length).toBeGreaterThan(0);
  expect(answered.length + refusals.length).toBe(1000);
  expect(refusals.every(isDatabaseUnavailable)).toBe(true);
  expect(answered.filter((name) => !kept.includes(name))).toEqual([]);
  expect(new Set(kept).size).toBe(kept.length);
});
