import { aSession, type ConnectBed, openConnectBed } from '../connect/connect-bed.ts';
import { type Act, expectRecorded, writtenBy } from './recorded-acts.ts';

const PEOPLE = '/api/v1/end-users';
const WORKSPACES = '/api/v1/workspaces';
const SECRET = 'zq-a-secret-text';

let bed: ConnectBed;
let made = 0;
beforeAll(async () => {
  bed = await openConnectBed();
});
afterAll(() => bed?.close());

const aPerson = async (fields: object = {}) => {
  const body = { workspaceId: bed.workspaceId, externalId: `person-${++made}`, ...fields };
  return (await bed.api.must(201).post(PEOPLE, body)).endUser;
};
const anAccount = async (fields: object = {}) => {
  const body = { integrationName: 'mail', externalId: `mail-${++made}`, workspaceId: bed.workspaceId, scope: 'WORKSPACE', ...fields };
  return (await bed.api.must(201).post('/api/v1/connections', { type: 'SECRET_TEXT', secretText: SECRET, ...body })).connection;
};
const anInstance = async (fields: object = {}) => {
  const body = { integrationName: 'mail', alias: `mail-${++made}`, connectionStrategy: 'per_user', ...fields };
  return (await bed.api.must(201).post(`${WORKSPACES}/${bed.workspaceId}/integrations`, body)).integration;
};
const aPartial = async (fields: object = {}) => {
  const body = { workspaceId: bed.workspaceId, integrationName: 'mail', name: `Preset ${++made}`, values: { note: SECRET }, ...fields };
  return (await bed.api.must(201).post('/api/v1/partials', body)).partial;
};
const aWorkspace = async () => (await bed.api.must(201).post(WORKSPACES, { name: 'Shop', slug: `shop-${++made}` })).workspace;

const ACTS: Record<string, () => Promise<Act>> = {
  'creating an end user': async () => ({
    types: ['end_user.created'],
    act: async () => {
      const { id, externalId } = await aPerson({ displayName: 'zq Name', email: 'zq@example.com', metadata: { note: 'zq-note' } });
      return { subject: { details: { endUserId: externalId, endUserUuid: id } }, secrets: ['zq'] };
    },
  }),
  'changing an end user': async () => {
    const { id, externalId } = await aPerson();
    return {
      types: ['end_user.updated'],
      act: async () => {
        await bed.api.must(200).patch(`${PEOPLE}/${id}`, { displayName: 'zq Name', email: null, metadata: { note: 'zq-note' } });
        return { subject: { details: { endUserId: externalId, changed: ['displayName', 'metadata'] } }, secrets: ['zq'] };
      },
    };
  },
  'changing an end user to its current values': async () => {
    const { id } = await aPerson({ displayName: 'Ada' });
    return {
      types: [],
      act: async () => {
        await bed.api.must(200).patch(`${PEOPLE}/${id}`, { displayName: 'Ada' });
        return { subject: {} };
      },
    };
  },
  'making a connect link': async () => {
    const { id, externalId } = await aPerson();
    return {
      types: ['connect_link.issued'],
      act: async () => {
        const { token } = await bed.api.must(200).post(`${PEOPLE}/${id}/connect-token`, { integrationName: 'mail', expiresIn: 3600 });
        const details = { kind: 'portal', endUserId: externalId, endUserUuid: id, mayReview: false, expiresInSeconds: 3600 };
        return { subject: { integrationName: 'mail', details }, secrets: [token] };
      },
    };
  },
  'making a link for one account': async () => ({
    types: ['connect_link.issued'],
    act: async () => {
      const { token, sessionId } = await aSession(bed, { externalId: 'by-link', endUserId: 'ada' });
      const details = { kind: 'session', sessionId, externalId: 'by-link', endUserId: 'ada', scope: 'USER' };
      return { subject: { integrationName: 'mail', details }, secrets: [token] };
    },
  }),
  'deleting an end user with an account': async () => {
    const { id, externalId } = await aPerson();
    await anAccount({ scope: 'USER', endUserId: externalId });
    return {
      types: ['end_user.deleted'],
      act: async () => {
        await bed.api.must(200).delete(`${PEOPLE}/${id}`);
        return { subject: { details: { endUserId: externalId, connectionCount: 1, serverCount: 0 } } };
      },
    };
  },
  'connecting an account': async () => ({
    types: ['connection.created'],
    act: async () => {
      const { id, externalId } = await anAccount({ displayName: 'Front desk' });
      const details = {
        connectionId: id,
        externalId,
        displayName: 'Front desk',
        scope: 'WORKSPACE',
        authMethodKey: 'token',
        endUserId: null,
      };
      return { subject: { integrationName: 'mail', details }, secrets: [SECRET] };
    },
  }),
  'connecting an account of the organization': async () => ({
    types: ['connection.created'],
    isOrgWide: true,
    act: async () => {
      const { id } = await anAccount({ scope: 'ORGANIZATION' });
      return { subject: { details: { connectionId: id, scope: 'ORGANIZATION' } }, secrets: [SECRET] };
    },
  }),
  'connecting an account of a new end user': async () => ({
    types: ['end_user.created', 'connection.created'],
    act: async () => {
      await anAccount({ scope: 'USER', endUserId: 'comes-with-it' });
      return { subject: { details: { endUserId: 'comes-with-it' } }, secrets: [SECRET] };
    },
  }),
  'disconnecting an account': async () => {
    const { id, externalId } = await anAccount();
    return {
      types: ['connection.deleted'],
      act: async () => {
        await bed.api.must(200).delete(`/api/v1/connections/${id}`);
        return { subject: { integrationName: 'mail', details: { connectionId: id, externalId } }, secrets: [SECRET] };
      },
    };
  },
  'adding an integration to a workspace': async () => ({
    types: ['workspace_integration.added'],
    act: async () => {
      const { id, alias } = await anInstance();
      return { subject: { integrationName: 'mail', details: { workspaceIntegrationId: id, alias } } };
    },
  }),
  'changing an integration of a workspace': async () => {
    const { id } = await anInstance();
    return {
      types: ['workspace_integration.updated'],
      act: async () => {
        await bed.api.must(200).patch(`${WORKSPACES}/${bed.workspaceId}/integrations/${id}`, { alias: 'renamed', enabledActions: [] });
        const details = { workspaceIntegrationId: id, alias: 'renamed', changed: ['alias', 'enabledActions'] };
        return { subject: { integrationName: 'mail', details } };
      },
    };
  },
  'removing an integration from a workspace': async () => {
    const { id, alias } = await anInstance();
    return {
      types: ['workspace_integration.removed'],
      act: async () => {
        await bed.api.must(200).delete(`${WORKSPACES}/${bed.workspaceId}/integrations/${id}`);
        return { subject: { integrationName: 'mail', details: { workspaceIntegrationId: id, alias } } };
      },
    };
  },
  'creating a partial': async () => ({
    types: ['partial.created'],
    act: async () => {
      const { id, name } = await aPartial({ actionName: 'read' });
      return { subject: { integrationName: 'mail', actionName: 'read', details: { partialId: id, name } }, secrets: [SECRET] };
    },
  }),
  'changing a partial': async () => {
    const { id } = await aPartial();
    return {
      types: ['partial.updated'],
      act: async () => {
        await bed.api.must(200).patch(`/api/v1/partials/${id}`, { values: { note: `${SECRET}-2` }, enforcedKeys: ['note'] });
        return { subject: { details: { partialId: id, changed: ['values', 'enforcedKeys'] } }, secrets: [SECRET] };
      },
    };
  },
  'making a partial the default': async () => {
    const { id } = await aPartial();
    return {
      types: ['partial.updated'],
      act: async () => {
        await bed.api.must(200).post(`/api/v1/partials/${id}/set-default`, { isDefault: true });
        return { subject: { details: { partialId: id, isDefault: true, changed: ['isDefault'] } } };
      },
    };
  },
  'deleting a partial': async () => {
    const { id, name } = await aPartial();
    return {
      types: ['partial.deleted'],
      act: async () => {
        await bed.api.must(200).delete(`/api/v1/partials/${id}`);
        return { subject: { details: { partialId: id, name } }, secrets: [SECRET] };
      },
    };
  },
};

test.each(Object.entries(ACTS))('%s writes exactly the expected activity rows, without secrets', async (_, prepare) => {
  await expectRecorded(bed, await prepare());
});

test('creating, renaming and deleting a workspace write rows with its name', async () => {
  const rows = await writtenBy(bed, async () => {
    const { id } = await aWorkspace();
    await bed.api.must(200).patch(`${WORKSPACES}/${id}`, { name: 'Store' });
    await bed.api.must(200).patch(`${WORKSPACES}/${id}`, { name: 'Store' });
    await bed.api.must(200).delete(`${WORKSPACES}/${id}`);
  });
  const workspaceId = rows[0]!.workspaceId;
  expect(workspaceId).not.toBe(bed.workspaceId);
  expect(rows).toMatchObject([
    { type: 'workspace.created', workspaceId, details: { name: 'Shop' } },
    { type: 'workspace.updated', workspaceId, details: { name: 'Store', changed: ['name'] } },
    { type: 'workspace.deleted', workspaceId, details: { name: 'Store' } },
  ]);
});

test('a refused request writes no activity row', async () => {
  const { externalId } = await aPerson();
  const { externalId: taken } = await anAccount();
  const { alias } = await anInstance();
  const { name } = await aPartial();
  const { slug } = await aWorkspace();
  const rows = await writtenBy(bed, async () => {
    await bed.api.must(409).post(PEOPLE, { workspaceId: bed.workspaceId, externalId });
    await bed.api.must(404).post(PEOPLE, { workspaceId: bed.orgId, externalId: 'x' });
    const account = { integrationName: 'mail', externalId: taken, workspaceId: bed.workspaceId, scope: 'WORKSPACE' };
    await bed.api.must(409).post('/api/v1/connections', { ...account, type: 'SECRET_TEXT', secretText: SECRET });
    await bed.api
      .must(409)
      .post(`${WORKSPACES}/${bed.workspaceId}/integrations`, { integrationName: 'mail', alias, connectionStrategy: 'per_user' });
    await bed.api.must(409).post('/api/v1/partials', { workspaceId: bed.workspaceId, integrationName: 'mail', name, values: {} });
    await bed.api.must(409).post(WORKSPACES, { name: 'Another', slug });
  });
  expect(rows).toEqual([]);
});
