import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import type { Db } from '../../infra/database.ts';
import { patientDatabase } from './patient-database.ts';
import { system } from './system.ts';
import { aServer, type Tenant } from './tenant.ts';
import { until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields as callers do
export type Answer = any;

/** An MCP server in CODE mode, and functions that run code on this server and approve requests. */
export interface CodeServer {
  id: string;
  token: string;
  endpoint: string;
  /** Executes code or continues a run. Returns the whole answer of execute-code. */
  execute(body: object): Promise<Answer>;
  /** Like `execute`, but returns only the structured content. */
  run(body: object): Promise<Answer>;
  approve(approvalId: string): Promise<void>;
  /** The id of this server's newest run. */
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

/** Waits until the workflow of a run exists. */
export async function startedWorkflow(temporal: Client, codeRunId: string): Promise<WorkflowHandle> {
  const workflow = temporal.workflow.getHandle(`code-run/${codeRunId}`);
  await until(() =>
    workflow.describe().then(
      () => true,
      () => false,
    ),
  );
  return workflow;
}

/** Opens the database and the Temporal client of the shared system. The caller must close them. */
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
