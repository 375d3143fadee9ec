import { refreshOwnIntegration } from '../../../commands/integrations/refresh-own-integration.ts';
import { integrationActivity } from '../../../domain/audit/change-activity.ts';
import { findCustomIntegration } from '../../../store/custom-integrations.ts';
import { CREATE_TASK, GET_TASK, I, importTasks, type OwnBed, openOwnBed, tasksAt } from '../integrations/own/own-bed.ts';
import { type Act, expectRecorded, writtenBy } from './recorded-acts.ts';

const SECRET = 'zq-a-fetch-token';

let bed: OwnBed;
beforeAll(async () => {
  bed = await openOwnBed();
});
afterAll(() => bed?.close());

async function anOwn(name: string, description: string) {
  const { integration } = await importTasks(bed, name, tasksAt(bed.thirdParty.url));
  const document = tasksAt(bed.thirdParty.url, { actions: { get_task: { ...GET_TASK, description }, create_task: CREATE_TASK } });
  const refresh = async (more: object = {}) => (await bed.api.must(200).post(`${I}/${name}/refresh`, { document, ...more })).changes;
  return { integration, refresh };
}

const ACTS: Record<string, () => Promise<Act>> = {
  'importing an integration': async () => ({
    types: ['integration.imported'],
    isOrgWide: true,
    act: async () => {
      await importTasks(bed, 'imported', tasksAt(bed.thirdParty.url), { fetchAuth: { type: 'bearer', token: SECRET } });
      return { subject: { integrationName: 'imported', details: { kind: 'declarative', version: 1, host: null } }, secrets: [SECRET] };
    },
  }),
  'changing an integration': async () => {
    await anOwn('changed', 'Other');
    return {
      types: ['integration.updated'],
      isOrgWide: true,
      act: async () => {
        await bed.api.must(200).patch(`${I}/changed`, { onChange: 'block', actions: { get_task: { enabled: false } } });
        const details = { changed: ['actions', 'onChange'], actionCount: 1, actions: ['get_task'] };
        return { subject: { integrationName: 'changed', details } };
      },
    };
  },
  ...Object.fromEntries(
    [['accept', 'accepted', 2] as const, ['reject', 'rejected', 1] as const].map(([verb, status, version]) => [
      `${verb}ing a change of an integration`,
      async (): Promise<Act> => {
        const { refresh } = await anOwn(`to-${verb}`, 'Other');
        const [change] = await refresh();
        return {
          types: [`integration_change.${status}`],
          isOrgWide: true,
          act: async () => {
            await bed.api.must(200).post(`${I}/to-${verb}/changes/${change.id}/${verb}`, { reason: 'Looked at it' });
            const details = { changeId: change.id, kind: 'action_changed', version, reason: 'Looked at it' };
            return { subject: { integrationName: `to-${verb}`, actionName: 'get_task', details } };
          },
        };
      },
    ]),
  ),
  'a refresh that accepts its findings': async () => {
    const { refresh } = await anOwn('refreshed', 'Other');
    return {
      types: ['integration_change.accepted'],
      isOrgWide: true,
      act: async () => {
        await refresh({ accept: true });
        return { subject: { integrationName: 'refreshed', actionName: null, details: { changeCount: 1, version: 2 } } };
      },
    };
  },
  'a refresh that finds changes, with new credentials': async () => {
    const { refresh } = await anOwn('found', 'Other');
    return {
      types: ['integration.updated', 'integration_change.found'],
      isOrgWide: true,
      act: async () => {
        await refresh({ headers: { 'X-Key': SECRET }, fetchAuth: { type: 'bearer', token: SECRET } });
        await refresh();
        return { subject: { integrationName: 'found', details: { version: 1 } }, secrets: [SECRET] };
      },
    };
  },
  'deleting an integration': async () => {
    await anOwn('deleted', 'Other');
    return {
      types: ['integration.deleted'],
      isOrgWide: true,
      act: async () => {
        await bed.api.must(200).delete(`${I}/deleted`);
        return { subject: { integrationName: 'deleted', details: { kind: 'declarative', version: 1 } } };
      },
    };
  },
};

test.each(Object.entries(ACTS))('%s writes exactly the expected activity rows, without secrets', async (_, prepare) => {
  await expectRecorded(bed, await prepare());
});

test('the activity of a refresh names its actor and the changed settings', async () => {
  const { gateway, thirdParty, orgId } = bed;
  await importTasks(bed, 'scheduled', tasksAt(thirdParty.url));
  const record = (await findCustomIntegration(gateway.db, orgId, 'scheduled'))!;
  const document = tasksAt(thirdParty.url, { actions: { get_task: { ...GET_TASK, description: 'Other' }, create_task: CREATE_TASK } });
  const rows = await writtenBy(bed, async () => {
    await refreshOwnIntegration(gateway, record, { document, detectedBy: 'schedule' });
    await bed.api.must(200).post(`${I}/scheduled/refresh`, { document, select: { operations: ['get_task'] } });
  });
  expect(rows).toMatchObject([
    { type: 'integration_change.found', actorType: 'system', details: { changeCount: 1, detectedBy: 'schedule' } },
    { type: 'integration.updated', actorType: 'api_key', details: { changed: ['select'] } },
    { type: 'integration_change.found', actorType: 'api_key', details: { changeCount: 1, detectedBy: 'refresh' } },
  ]);
});

test('a preview or an unchanged document writes no row; a row shows only the host of a URL', async () => {
  const { api, gateway, thirdParty, orgId } = bed;
  const document = tasksAt(thirdParty.url);
  const url = 'https://user:zq-password@docs.example.com/tasks.json?key=zq-key';
  await api.must(200).post(`${I}/import`, { kind: 'declarative', name: 'quiet', document, preview: true });
  await importTasks(bed, 'quiet', document);
  await api.must(200).post(`${I}/quiet/refresh`, { document, accept: true });
  const rows = await gateway.db('activity').where({ org_id: orgId, integration_name: 'quiet' });
  expect(rows.map(({ type }) => type)).toEqual(['integration.imported']);
  const own = { orgId, id: orgId, name: 'quiet', kind: 'openapi' as const, version: 1 };
  const { details } = integrationActivity('integration.imported', { ...own, settings: { url } }, { type: 'system', id: null });
  expect(details).toMatchObject({ host: 'docs.example.com' });
  expect(JSON.stringify(details)).not.toContain('zq-');
});
