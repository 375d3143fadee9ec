import type { Gateway } from '../../../../../commands/gateway.ts';
import { openGateway } from '../../../../../composition/open-gateway.ts';
import { readConfig } from '../../../../../infra/config.ts';
import { aCodeServer, type CodeServer } from '../../../../support/code-runs.ts';
import { system, testEnvironment } from '../../../../support/system.ts';
import { aPolicy, aTenant, type Tenant } from '../../../../support/tenant.ts';
import { type AppMember, aMember } from '../app-bed.ts';

/** A tenant of the running service, with an MCP server in CODE mode and a signed-in admin. */
export interface ProgramBed extends Tenant {
  gateway: Gateway;
  server: CodeServer;
  admin: AppMember;
  close(): Promise<void>;
}

/** Opens a bed whose policy requires approval of `kv_store.put`. */
export async function openProgramBed(): Promise<ProgramBed> {
  const [{ databaseUrl, temporalAddress }, env, tenant] = await Promise.all([system(), testEnvironment(), aTenant()]);
  const settings = { ...env, DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: temporalAddress, LOG_LEVEL: 'silent' };
  const gateway = openGateway(readConfig(settings), 'admin');
  const server = await aCodeServer(tenant, ['kv-store', 'hash-encode']);
  await aPolicy(tenant, { actionNames: ['put'] });
  const admin = await aMember({ ...tenant, gateway }, 'admin', { email: `${tenant.orgId}@example.com` });
  return { ...tenant, gateway, server, admin, close: () => gateway.close() };
}
