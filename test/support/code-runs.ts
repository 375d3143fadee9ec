import { Client, Connection } from '@temporalio/client';
import type { Db } from '../../infra/database.ts';
import { patientDatabase } from './patient-database.ts';
import { system } from './system.ts';
import { aServer, type Tenant } from './tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers as their callers do, field by field
export type Answer = any;

/** A CODE server with what stands behind its runs. */
export interface CodeServer {
  id: string;
  token: string;
  endpoint: string;
  /** Executes code, or continues a run; what execute-code answers. */
  execute(body: object): Promise<Answer>;
  /** The same, and of that the structured content. */
  run(body: object): Promise<Answer>;
  approve(approvalId: string): Promise<void>;
  /** The run that was started last. */
  lastRunId(): Promise<string>;
}

export async function aCodeServer(tenant: Tenant, integrations: string[], settings: object = {}): Promise<CodeServer> {
  const { databaseUrl } = await system();
  const { id, token, endpoint } = await aServer(tenant, 'CODE', integrations, settings);
  const execute = (body: object) => tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, body);
  return {
    ...{ id, token, endpoint, execute },
    run: async (body) => (await execute(body)).structuredContent,
    approve: (approvalId) => tenant.api.must(200).post(`/api/v1/approvals/${approvalId}/approve`),
    lastRunId: async () => {
      const db = patientDatabase(databaseUrl);
      const rows = await db('code_runs').where({ mcp_server_id: id }).orderBy('created_at', 'desc').limit(1).pluck('id');
      await db.destroy();
      return rows[0];
    },
  };
}

/** What stands behind the shared system: its tables, and its workflows. Close it when done. */
export async function openBehind(): Promise<{ db: Db; temporal: Client; close(): Promise<void> }> {
  const { databaseUrl, temporalAddress: address, temporalNamespace: namespace } = await system();
  const connection = await Connection.connect({ address });
  const db = patientDatabase(databaseUrl);
  return {
    db,
    temporal: new Client({ connection, namespace }),
    close: async () => {
      await connection.close();
      await db.destroy();
    },
  };
}

/** Asks again and again until there is an answer. */
export async function until<Value>(ask: () => Promise<Value | undefined | false>): Promise<Value> {
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
