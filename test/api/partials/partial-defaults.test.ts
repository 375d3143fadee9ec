import type { Caller } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { anInstance, aPartial, aWorkspace, PARTIALS } from './partial-bed.ts';

let bed: ApiBed;
let api: Caller;
beforeAll(async () => {
  bed = await openApiBed();
  api = bed.api;
});
afterAll(() => bed.close());

describe('an integration, an instance or an action has at most one default partial', () => {
  const defaultsOf = async (workspaceId: string) =>
    (await api.must(200).get(`${PARTIALS}?workspaceId=${workspaceId}`)).partials
      .filter(({ isDefault }: { isDefault: boolean }) => isDefault)
      .map(({ id }: { id: string }) => id);

  test('a new default replaces the old one, through POST, PATCH and set-default', async () => {
    const workspaceId = await aWorkspace(api);
    const first = await aPartial(api, { workspaceId, isDefault: true });
    const second = await aPartial(api, { workspaceId, isDefault: true });
    expect(await defaultsOf(workspaceId)).toEqual([second.id]);
    expect((await api.must(200).post(`${PARTIALS}/${first.id}/set-default`, { isDefault: true })).partial.isDefault).toBe(true);
    expect(await defaultsOf(workspaceId)).toEqual([first.id]);
    await api.must(200).patch(`${PARTIALS}/${second.id}`, { isDefault: true });
    expect(await defaultsOf(workspaceId)).toEqual([second.id]);
    await api.must(200).post(`${PARTIALS}/${first.id}/set-default`, { isDefault: false });
    expect(await defaultsOf(workspaceId)).toEqual([second.id]);
    await api.must(200).post(`${PARTIALS}/${second.id}/set-default`, { isDefault: false });
    expect(await defaultsOf(workspaceId)).toEqual([]);
  });

  test('an integration, its instances and its actions have separate defaults', async () => {
    const workspaceId = await aWorkspace(api);
    const { id: workspaceIntegrationId } = await anInstance(api, workspaceId);
    const targets = [
      {},
      { actionName: 'put' },
      { actionName: 'get' },
      { workspaceIntegrationId },
      { workspaceIntegrationId, actionName: 'put' },
    ];
    const made = [];
    for (const target of targets) made.push((await aPartial(api, { workspaceId, ...target, isDefault: true })).id);
    expect(await defaultsOf(workspaceId)).toEqual(made);
  });

  test('concurrent requests leave exactly one default', async () => {
    const workspaceId = await aWorkspace(api);
    const partials = await Promise.all(Array.from({ length: 6 }, () => aPartial(api, { workspaceId })));
    const answers = await Promise.all(partials.map(({ id }) => api.post(`${PARTIALS}/${id}/set-default`, { isDefault: true })));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await defaultsOf(workspaceId)).toHaveLength(1);
  });

  test.each([[{}], [undefined], [{ isDefault: null }], [{ isDefault: true, id: 1 }]])('set-default refuses %j', async (body) => {
    const { id } = await aPartial(api);
    expect(await api.post(`${PARTIALS}/${id}/set-default`, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });
});
