import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { renderErrors } from '../../../api/middleware/render-errors.ts';
import { requestId } from '../../../api/middleware/request-id.ts';
import { approvalPage } from '../../../api/pages/approval-page.ts';
import type { NewOrg } from '../../../commands/access/create-org.ts';
import { callerLinks } from '../../../commands/approvals/approval-links.ts';
import { requestApproval } from '../../../commands/approvals/request-approval.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { openGateway } from '../../../composition/open-gateway.ts';
import type { Approval } from '../../../domain/approval.ts';
import { previewInput } from '../../../domain/redaction/preview-input.ts';
import { readConfig } from '../../../infra/config.ts';
import { randomId } from '../../../infra/tokens.ts';
import type { NewApproval } from '../../../store/approvals.ts';
import { newOrg } from '../../support/new-org.ts';
import { cloneDatabase, temporalAddress, testEnvironment } from '../../support/system.ts';

export type PageBed = {
  gateway: Gateway;
  origin: string;
  org: NewOrg;
  close: () => Promise<void>;
};

/** Serves the pages of approvals and runs, with a new database and without a worker. */
export async function openPages(): Promise<PageBed> {
  const database = await cloneDatabase();
  const { gateway, origin, close } = await servePages(database.url);
  const org = await newOrg(database.url, 'Reviewers');
  return { gateway, origin, org, close: () => close().then(database.drop) };
}

/** Serves only the pages of approvals and runs. The database may be missing. */
export async function servePages(databaseUrl: string): Promise<Omit<PageBed, 'org'>> {
  const [common, temporal] = await Promise.all([testEnvironment(), temporalAddress()]);
  const settings = {
    ...common,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal,
    TEMPORAL_TASK_QUEUE: randomId('pages-'),
    LOG_LEVEL: 'silent',
  };
  // Admin connections have long timeouts, for busy machines.
  const gateway = openGateway(readConfig(settings), 'admin');
  const app = new Koa();
  for (const middleware of [requestId(), renderErrors(gateway.logger), approvalPage(gateway)]) app.use(middleware);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await gateway.close();
  };
  return { gateway, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Creates a pending approval of a REST call. */
export async function anApproval(bed: PageBed, given: Partial<NewApproval> = {}): Promise<Approval> {
  return bed.gateway.db.transaction((tx) =>
    requestApproval(bed.gateway, tx, {
      id: randomId('apr_'),
      orgId: bed.org.orgId,
      workspaceId: bed.org.workspaceId,
      policyId: null,
      policyVersion: null,
      policyName: 'Outgoing requests',
      riskScore: null,
      riskCategory: null,
      approvers: [],
      mcpServerId: null,
      workspaceIntegrationId: null,
      concernedConnectionIds: [],
      concernedIntegrationIds: [],
      connectionId: null,
      connectionVersion: null,
      definitionHash: null,
      codeHash: null,
      toolSurfaceHash: null,
      plannedTools: null,
      requestHash: null,
      connectionStrategy: 'fixed',
      endUserId: null,
      source: 'rest',
      status: 'pending',
      integrationName: 'http',
      integrationAlias: 'http',
      actionName: 'send_request',
      inputHash: randomId('hash_'),
      inputPreview: { method: 'POST', url: 'https://api.example.com/orders' },
      redactedPaths: [],
      presetPaths: [],
      riskReasons: ['policy "Outgoing requests" matches integration http'],
      approvalAccessMode: 'dashboard_and_hosted_link',
      timeoutSeconds: 3600,
      defaultOnTimeout: 'reject',
      idempotencyKey: randomId('idem_'),
      codeRunId: null,
      callNumber: null,
      requestedByType: 'system',
      requestedById: null,
      ...given,
    }),
  );
}

/** Creates a pending approval with the gate's preview of this input. */
export function anApprovalOf(bed: PageBed, input: Record<string, unknown>, given: Partial<NewApproval> = {}): Promise<Approval> {
  const { preview, redactedPaths } = previewInput(input);
  return anApproval(bed, { inputPreview: preview, redactedPaths, ...given });
}

/** Returns the address of an approval's page on the bed's server. */
export function linkOf(bed: Pick<PageBed, 'gateway' | 'origin'>, approval: Pick<Approval, 'id'>): string {
  const { hostedApprovalUrl } = callerLinks(bed.gateway, { id: approval.id, approvalAccessMode: 'hosted_link_only' });
  const { pathname, search } = new URL(hostedApprovalUrl!);
  return `${bed.origin}${pathname}${search}`;
}

/** Submits the page's form like a browser, without following the redirect. */
export function decide(
  link: string,
  decision: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const { origin, pathname, searchParams } = new URL(link);
  const body = new URLSearchParams({ token: searchParams.get('token') ?? '', decision, ...fields });
  return fetch(`${origin}${pathname}`, {
    method: 'POST',
    body,
    headers: { 'Sec-Fetch-Site': 'same-origin', Origin: 'null', ...headers },
    redirect: 'manual',
  });
}

/** Opens a page, without following a redirect. */
export async function read(link: string): Promise<{ status: number; text: string; html: string; headers: Headers }> {
  const answer = await fetch(link, { redirect: 'manual' });
  const html = await answer.text();
  return { status: answer.status, text: textOf(html), html, headers: answer.headers };
}

/** Moves an approval's deadline to one minute ago. The status stays pending. */
export async function letTimePass(bed: PageBed, approvalId: string): Promise<void> {
  const past = (column: string) => bed.gateway.db.raw(`${column} - (timeout_seconds + 60) * interval '1 second'`);
  await bed.gateway
    .db('approvals')
    .where({ id: approvalId })
    .update({ created_at: past('created_at'), expires_at: past('expires_at') });
}

/** Returns a page's text, with collapsed white space. */
export function textOf(html: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return html
    .replace(/<(style|svg)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)
    .replace(/\s+/g, ' ');
}
