import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createOrg } from '../../../commands/access/create-org.ts';
import { openReceiptSigner } from '../../../commands/approvals/receipt-signer.ts';
import { hashCode } from '../../../commands/code-runs/plan/plan-code-run.ts';
import { createConnection } from '../../../commands/connections/create-connection.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import { openOrgCatalog } from '../../../commands/integrations/org-catalog.ts';
import { createMcpServer } from '../../../commands/mcp-servers/create-mcp-server.ts';
import type { Orchestrator } from '../../../commands/orchestrator.ts';
import { openPolicyCache } from '../../../commands/policies/policy-cache.ts';
import { openSetupCache } from '../../../commands/surfaces/setup-cache.ts';
import { openSurfaceCache } from '../../../commands/surfaces/surface-cache.ts';
import { addWorkspaceIntegration } from '../../../commands/workspace-integrations/add-workspace-integration.ts';
import { openGateway } from '../../../composition/open-gateway.ts';
import type { CodeRun } from '../../../domain/code-run.ts';
import type { Policy } from '../../../domain/policies/policy.ts';
import { readConfig } from '../../../infra/config.ts';
import { openCatalog } from '../../../integrations/catalog.ts';
import { action, integration } from '../../../integrations/definition.ts';
import { insertApprovalPolicy } from '../../../store/approval-policies.ts';
import { insertCodeRun } from '../../../store/code-run-starts.ts';
import { findCodeRun } from '../../../store/code-runs.ts';
import { raisePoliciesVersion } from '../../../store/orgs.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { cloneDatabase, testEnvironment } from '../../support/system.ts';
import { thePolicy } from '../../support/the-policy.ts';
import type { Answer, PolicySpec } from './gated-programs.ts';

/** One effect of an action, as the third party records it. */
export interface Effect {
  number: number;
  action: 'pay' | 'send';
  input: Record<string, unknown>;
  account: string;
  /** The policies that applied when the effect occurred. */
  policies: readonly Policy[];
}

/** The third party's data for one program. */
export interface Books {
  effects: Effect[];
  answer: Answer;
  policies: Policy[];
}

const books = new Map<string, Books>();
let effects = 0;

const paid = z.object({ effect: z.number() });

function enter(name: Effect['action'], input: { tag: string }, account: string) {
  const { effects: ledger, policies } = books.get(input.tag)!;
  const number = ++effects;
  ledger.push({ number, action: name, input, account, policies: [...policies] });
  return { effect: number };
}

const bank = integration({
  name: 'bank',
  displayName: 'Bank',
  description: 'For tests',
  logoUrl: null,
  categories: ['COMMUNICATION'],
  auth: [{ key: 'token', type: 'SECRET_TEXT', displayName: 'Token', description: '' }],
  actions: {
    pay: action({
      ...{ displayName: 'Pay', description: 'Pays', category: 'payment', output: paid },
      input: z.object({ tag: z.string(), to: z.string(), amount: z.number().optional(), note: z.string().optional() }),
      run: ({ input, auth }) => enter('pay', input, accountOf(auth)),
    }),
    send: action({
      ...{ displayName: 'Send', description: 'Sends', category: 'send', output: paid },
      input: z.object({ tag: z.string(), to: z.string(), note: z.string().optional() }),
      run: ({ input, auth }) => enter('send', input, accountOf(auth)),
    }),
    read: action({
      ...{ displayName: 'Read', description: 'Reads', category: 'read', input: z.object({ tag: z.string() }) },
      output: z.object({ name: z.string(), amount: z.number(), op: z.string() }),
      run: ({ input }) => books.get(input.tag)!.answer,
    }),
    statement: action({
      ...{ displayName: 'Statement', description: 'Answers much', category: 'read', output: z.object({ text: z.string() }) },
      input: z.object({ tag: z.string(), bytes: z.number() }),
      run: ({ input }) => ({ text: randomBytes(input.bytes / 2).toString('hex') }),
    }),
  },
});

function accountOf(auth: { type: string } | null): string {
  return (auth as { secretText?: string } | null)?.secretText ?? 'nobody';
}

const NOBODY_TO_TELL = new Proxy({} as Orchestrator, { get: () => async () => {} });

/** A gateway for gated runs. */
export interface GatedWorld {
  gateway: Gateway;
  close(): Promise<void>;
}

/**
 * Opens a gateway with its own database and the integration `bank`. No worker runs: the test
 * advances the code runs.
 */
export async function openGatedWorld(): Promise<GatedWorld> {
  const [database, common] = await Promise.all([cloneDatabase(), testEnvironment()]);
  const config = readConfig({ ...common, DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  const opened = openGateway(config, 'worker');
  const db = patientDatabase(database.url, 10);
  const catalog = openOrgCatalog(db, openCatalog([bank]));
  const setups = openSetupCache(db);
  const receipts = openReceiptSigner(db, common.RECEIPT_SIGNING_KEY!);
  const parts = { db, receipts, catalog, setups, surfaces: openSurfaceCache(db, catalog, setups), policies: openPolicyCache(db) };
  const close = async () => {
    await db.destroy();
    await opened.close();
    await database.drop();
  };
  return { gateway: { ...opened, ...parts, orchestrator: NOBODY_TO_TELL }, close };
}

/** One organization for one program, and the books of its third party. */
export interface Place {
  orgId: string;
  workspaceId: string;
  serverId: string;
  /** Ids of the workspace integration and of its connection. */
  bank: { id: string; connectionId: string };
  spare: { id: string; connectionId: string };
  books: Books;
}

/**
 * Creates an organization with two accounts of the bank, under the aliases `bank` and `spare-bank`,
 * and with an MCP server in Code Mode.
 */
export async function aPlace(gateway: Gateway, tag: string, answer: Answer): Promise<Place> {
  const { orgId, workspaceId } = await createOrg(gateway, tag);
  const account = async (name: string) =>
    createConnection(gateway, {
      by: { type: 'system', id: null },
      ...{ orgId, workspaceId, endUserExternalId: null, scope: 'WORKSPACE', integrationName: 'bank', externalId: name, displayName: name },
      credentials: { type: 'SECRET_TEXT', secretText: name } as never,
    });
  const instance = async (alias: string, connectionId: string) =>
    addWorkspaceIntegration(
      gateway,
      { type: 'system', id: null },
      {
        ...{ orgId, workspaceId, integrationName: 'bank', alias, displayName: null, connectionStrategy: 'fixed', connectionId },
        ...{ enabledActions: null, settings: {}, sortOrder: 0 },
      },
    );
  const [first, second] = [await account('first'), await account('second')];
  const [one, other] = [await instance('bank', first.id), await instance('spare-bank', second.id)];
  const { server } = await createMcpServer(
    gateway,
    { type: 'system', id: null },
    {
      ...{ orgId, workspaceId, name: tag, description: null, mode: 'CODE', settings: {}, authMode: 'oauth', endUserAccess: 'restricted' },
      ...{ createdBy: null, endUserExternalId: null },
    },
  );
  const kept: Books = { effects: [], answer, policies: [] };
  books.set(tag, kept);
  return {
    ...{ orgId, workspaceId, serverId: server.id, books: kept },
    bank: { id: one.id, connectionId: first.id },
    spare: { id: other.id, connectionId: second.id },
  };
}

/** Stores a policy and adds the policy to the books. */
export async function enforce({ db }: Gateway, { orgId, books: { policies } }: Place, spec: PolicySpec, name: string): Promise<Policy> {
  const { amountFrom, ...fields } = spec;
  const {
    id: _,
    orgId: __,
    version: ___,
    createdAt: ____,
    updatedAt: _____,
    ...policy
  } = thePolicy({
    ...fields,
    ...{ name, workspaceId: null, sources: ['mcp_code'], riskMode: amountFrom === null ? 'always' : 'rules' },
    rules: amountFrom === null ? {} : { amountThresholds: [{ path: 'amount', gte: amountFrom }] },
  });
  const stored = await insertApprovalPolicy(db, { ...policy, orgId });
  await raisePoliciesVersion(db, orgId);
  policies.push(stored);
  return stored;
}

/** Inserts a run of this code. */
export async function aRun({ db }: Gateway, { orgId, workspaceId, serverId }: Place, code: string): Promise<CodeRun> {
  const id = `crun_${randomUUID()}`;
  await insertCodeRun(db, {
    ...{ id, orgId, workspaceId, mcpServerId: serverId, endUserId: null, requestedByType: 'api_key', requestedById: null },
    ...{ code, codeHash: hashCode(code) },
  });
  return (await findCodeRun(db, id))!;
}
