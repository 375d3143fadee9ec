import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { createApp } from '../../api/app.ts';
import { openServer } from '../../api/open-server.ts';
import type { NewOrg } from '../../commands/create-org.ts';
import { type Gateway, openGateway } from '../../commands/gateway.ts';
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
  /** The same database over a connection that waits as long as it takes, as the service's own do not. */
  patient: Db;
  apiUrl: string;
  api: Caller;
  close(): Promise<void>;
}

/** An integration that needs an account, which none of the built-in ones does. */
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
      // The account is the credential itself, so that tests see which connection a call acted with.
      run: ({ input, auth }) => {
        const account = auth?.type === 'SECRET_TEXT' ? auth.secretText : 'nobody';
        if (input.to === 'nobody who is welcome') throw new ActionError('Mail refused the credentials.', { reason: 'unauthorized' });
        return { ...input, account };
      },
    }),
  },
});

/** The whole API in this process, with settings of its own and one more integration, on a database of its own and without Temporal. */
export async function openApiBed(env: Record<string, string> = {}): Promise<ApiBed> {
  const [database, common] = await Promise.all([cloneDatabase(), testEnvironment()]);
  const settings = { ...common, DATABASE_URL: database.url, TEMPORAL_ADDRESS: '127.0.0.1:2', LOG_LEVEL: 'silent', ...env };
  // As patient with a busy machine as a command line is: what the API itself says of a slow database is told elsewhere.
  const opened = openGateway(readConfig(settings), 'admin');
  const gateway = { ...opened, catalog: openCatalog([...INTEGRATIONS, mail]) };
  const server = openServer(createApp(gateway).callback(), gateway.logger).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const org = await newOrg(settings.DATABASE_URL, 'Bed');
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
