import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { createApp } from '../../api/app.ts';
import { openServer } from '../../api/open-server.ts';
import type { NewOrg } from '../../commands/access/create-org.ts';
import type { Gateway } from '../../commands/gateway.ts';
import { openOrgCatalog } from '../../commands/integrations/org-catalog.ts';
import { openSurfaceCache } from '../../commands/surfaces/surface-cache.ts';
import { openGateway } from '../../composition/open-gateway.ts';
import type { ServiceOutbound } from '../../domain/outbound.ts';
import { readConfig } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import { INTEGRATIONS, openCatalog } from '../../integrations/catalog.ts';
import { ActionError, action, integration } from '../../integrations/definition.ts';
import type { Caller } from '../support/caller.ts';
import { newOrg } from '../support/new-org.ts';
import { patientDatabase } from '../support/patient-database.ts';
import { cloneDatabase, testEnvironment } from '../support/system.ts';
import { checkedCaller } from './checked-caller.ts';

export interface ApiBed extends NewOrg {
  gateway: Gateway;
  /**
   * A connection to the API's database, with longer timeouts than the service's own connections.
   */
  patient: Db;
  apiUrl: string;
  api: Caller;
  close(): Promise<void>;
}

const mail = integration({
  name: 'mail',
  displayName: 'Mail',
  description: 'For tests',
  logoUrl: null,
  categories: ['COMMUNICATION'],
  auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: '' }],
  actions: {
    send: action({
      displayName: 'Send',
      description: 'Sends',
      category: 'send',
      input: z.object({ to: z.string(), subject: z.string().optional() }),
      output: z.object({ to: z.string(), subject: z.string().optional(), account: z.string() }),
      // The output contains the credential, so that tests can see which connection a call used.
      run: ({ input, auth }) => {
        const account = auth?.type === 'SECRET_TEXT' ? auth.secretText : 'nobody';
        if (input.to === 'nobody who is welcome') throw new ActionError('Mail refused the credentials.', { reason: 'unauthorized' });
        return { ...input, account };
      },
    }),
  },
});

/** Options of a bed that are not environment variables. */
export interface BedParts {
  /** Another bed whose database the new bed shares, like a second process of the same service. */
  replicaOf?: ApiBed;
  /** Replaces the guarded HTTP client. The bed does not close this client. */
  outbound?: ServiceOutbound;
}

/** Opens the API in this process, without Temporal. `env` overrides environment variables. */
export async function openApiBed(env: Record<string, string> = {}, { replicaOf, outbound }: BedParts = {}): Promise<ApiBed> {
  const [database, common] = await Promise.all([replicaOf ? sharedDatabase(replicaOf) : cloneDatabase(), testEnvironment()]);
  const settings = { ...common, DATABASE_URL: database.url, TEMPORAL_ADDRESS: '127.0.0.1:2', LOG_LEVEL: 'silent', ...env };
  // Admin connections have long timeouts, for busy machines.
  const opened = openGateway(readConfig(settings), 'admin');
  const catalog = openOrgCatalog(opened.db, openCatalog([...INTEGRATIONS, mail]));
  const surfaces = openSurfaceCache(opened.db, catalog, opened.setups);
  const gateway = { ...opened, catalog, surfaces, ...(outbound && { outbound }) };
  const server = openServer(createApp(gateway).callback(), gateway.logger).listen(Number(env.PORT ?? 0), '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const org = replicaOf ?? (await newOrg(settings.DATABASE_URL, 'Bed'));
  const patient = patientDatabase(database.url);
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await opened.close();
    await patient.destroy();
    await database.drop();
  };
  return { ...org, gateway, patient, apiUrl, api: checkedCaller(apiUrl, org.plainKey), close };
}

function sharedDatabase({ gateway }: ApiBed) {
  return { url: gateway.config.databaseUrl!, drop: async () => {} };
}
