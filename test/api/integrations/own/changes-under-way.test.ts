import { applyChanges } from '../../../../commands/integrations/apply-change.ts';
import type { CustomIntegration } from '../../../../domain/custom-integrations/custom-integration.ts';
import type { Db } from '../../../../infra/database.ts';
import { endChanges, findChange } from '../../../../store/custom-changes.ts';
import { lockCustomIntegration, updateCustomIntegration } from '../../../../store/custom-integrations.ts';
import { until } from '../../../support/until.ts';
import { CREATE_TASK, GET_TASK, I, importTasks, type OwnBed, openOwnBed, tasksAt } from './own-bed.ts';
import { type Change, readInFull, refreshWith, theOnly } from './read-changes.ts';

let bed: OwnBed;
beforeAll(async () => {
  bed = await openOwnBed();
});
afterAll(() => bed.close());

const described = (description: string) =>
  tasksAt(bed.thirdParty.url, { actions: { get_task: { ...GET_TASK, description }, create_task: CREATE_TASK } });

async function waiting(): Promise<number> {
  const { rows } = await bed.gateway.db.raw(
    "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0].count;
}

async function inAnotherProcess<Answer>(
  name: string,
  start: () => Promise<Answer>,
  change: (tx: Db, record: CustomIntegration) => Promise<void>,
) {
  const { integration: own } = await bed.api.must(200).get(`${I}/${name}`);
  let answer: Promise<Answer> | undefined;
  await bed.patient.transaction(async (tx) => {
    const record = (await lockCustomIntegration(tx, own.id))!;
    answer = start();
    await until(async () => (await waiting()) === 1);
    await change(tx, record);
  });
  return answer!;
}

test('a refresh does not report a change that another process accepts meanwhile', async () => {
  await importTasks(bed, 'crossed', described('One'));
  const { id } = theOnly(await refreshWith(bed, 'crossed', described('Two')));
  const document = tasksAt(bed.thirdParty.url, { actions: { get_task: { ...GET_TASK, description: 'Two' } } });
  const refresh = () => bed.api.post(`${I}/crossed/refresh`, { document });
  const refreshed = await inAnotherProcess('crossed', refresh, async (tx, record) => {
    await endChanges(tx, [id], { status: 'accepted', decidedById: 'somebody' });
    await applyChanges(tx, record, [(await findChange(tx, record.id, id))!]);
    await updateCustomIntegration(tx, record.id, { version: record.version + 1 });
  });
  expect(refreshed.body.changes).toMatchObject([{ kind: 'action_removed', actionName: 'create_task' }]);
  expect(refreshed.body.integration).toMatchObject({ version: 2, pendingChanges: 1 });
  const { changes } = await bed.api.must(200).get(`${I}/crossed/changes`);
  expect(changes.map(({ kind, status }: { kind: string; status: string }) => `${kind} ${status}`)).toEqual([
    ...['action_removed pending', 'action_changed accepted'],
  ]);
});

test('a change is not applied if another process supersedes it meanwhile', async () => {
  await importTasks(bed, 'overtaken', described('One'));
  const { id } = theOnly(await refreshWith(bed, 'overtaken', described('Two')));
  const accept = () => bed.api.post(`${I}/overtaken/changes/${id}/accept`);
  const accepted = await inAnotherProcess('overtaken', accept, async (tx) => void (await endChanges(tx, [id], { status: 'superseded' })));
  expect(accepted).toMatchObject({ status: 409, body: { code: 'CHANGE_ALREADY_DECIDED', details: { status: 'superseded' } } });
  const { integration } = await bed.api.must(200).get(`${I}/overtaken`);
  expect(integration).toMatchObject({ version: 1, pendingChanges: 0, actions: { get_task: { description: 'One' } } });
});

test('concurrent refreshes and decisions succeed or conflict, and each accepted change raises the version once', async () => {
  await importTasks(bed, 'busy', described('0'));
  const accepted: string[] = [];
  const round = async (index: number) => {
    const { changes } = await bed.api.must(200).post(`${I}/busy/refresh`, { document: described(`${index}`) });
    const answers = await Promise.all([
      ...changes.map(({ id, digest }: Change) => bed.api.post(`${I}/busy/changes/${id}/accept`, { digest })),
      bed.api.get(`${I}/busy`),
      bed.api.get(`${I}/busy/changes`),
      ...changes.map(({ id }: Change) => bed.api.get(`${I}/busy/changes/${id}`)),
    ]);
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status);
      if (status === 200 && body.change?.status === 'accepted' && body.integration) accepted.push(body.change.fields[0].after);
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6].map(round));
  const { integration } = await bed.api.must(200).get(`${I}/busy`);
  expect(integration.version).toBe(1 + accepted.length);
  expect(['0', ...accepted]).toContain(integration.actions.get_task.description);
});

test('the transaction that stores changes reads no action and no schema', async () => {
  await importTasks(bed, 'apart', described('One'));
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => statements.push(sql);
  bed.gateway.db.on('query', note);
  await refreshWith(bed, 'apart', described('Two'));
  bed.gateway.db.removeListener('query', note);
  const begin = statements.findLastIndex((sql) => /^begin/i.test(sql));
  const stored = statements.slice(
    begin,
    statements.findLastIndex((sql) => /^commit/i.test(sql)),
  );
  expect(stored.some((sql) => /insert into "custom_changes"/.test(sql))).toBe(true);
  expect(stored.filter((sql) => /^select.*custom_(actions|definitions)/.test(sql))).toEqual([]);
});

test('the answer to a refresh shows large changes in part; reading a change by its id shows all fields', async () => {
  const schema = (type: string) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`f${index}`, { type }])),
  });
  const actions = Object.fromEntries(
    Array.from({ length: 1500 }, (_, index) => [`act_${index}`, { ...GET_TASK, displayName: `Act ${index}` }]),
  );
  const document = (type: string) => tasksAt(bed.thirdParty.url, { actions, $defs: { task: schema(type) } });
  await importTasks(bed, 'huge', document('string'));
  const changes = await refreshWith(bed, 'huge', document('number'));
  expect(changes).toHaveLength(1500);
  for (const change of changes) expect(change).toMatchObject({ fieldCount: 4000, complete: false, digest: null });
  expect(JSON.stringify(changes).length / 1500).toBeLessThan(15_000);
  const { fields } = await readInFull(bed, 'huge', changes[777]!.id);
  expect(new Set(fields.map(({ path }) => path)).size).toBe(4000);
  expect(fields[3999]).toEqual({ path: '$defs.task.properties.f3999.type', before: 'string', after: 'number' });
});

test('a change with deep nesting or odd field names can be read completely', async () => {
  await importTasks(bed, 'odd', described('One'));
  let deep: object = { type: 'string' };
  for (let level = 0; level < 40; level += 1) deep = { type: 'object', properties: { inner: deep, 'a.b': { const: level } } };
  const input = {
    properties: { ...GET_TASK.input.properties, deep, аmount: { type: 'number' }, 'a"]b': { type: 'string' } },
    required: ['id'],
  };
  const document = tasksAt(bed.thirdParty.url, {
    actions: { get_task: { ...GET_TASK, description: 'One', input }, create_task: CREATE_TASK },
  });
  const change = theOnly<Change>(await refreshWith(bed, 'odd', document));
  const { fields } = await readInFull(bed, 'odd', change.id);
  const paths = fields.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['inputSchema.properties["\\u0430mount"]', 'inputSchema.properties["a\\"]b"]']));
  const within = `inputSchema.properties.deep${'.properties.inner'.repeat(2)}.properties["a.b"]`;
  expect(fields).toContainEqual({ path: within, before: null, after: { const: 37 } });
});
