import type { ServiceOutbound } from '../domain/outbound.ts';
import type { InFlight } from '../infra/concurrency/in-flight.ts';
import type { Config } from '../infra/config.ts';
import type { Db } from '../infra/database.ts';
import type { Logger } from '../infra/logger.ts';
import type { Mailer } from '../infra/mailer.ts';
import type { Model } from '../infra/model.ts';
import type { Notices } from '../infra/notices.ts';
import type { OpenIdProvider } from '../infra/oauth/openid-provider.ts';
import type { ProcessLock } from '../infra/process-lock.ts';
import type { Tokens } from '../infra/tokens.ts';
import type { Vault } from '../infra/vault.ts';
import type { RemoteSessions } from '../integrations/custom/mcp/sessions.ts';
import type { Lookups } from './access/lookups.ts';
import type { ReceiptSigner } from './approvals/receipt-signer.ts';
import type { CallRecorder } from './calls/call-recorder.ts';
import type { RunReader } from './code-runs/run-reader.ts';
import type { EndUserInserter } from './end-users/end-user-inserter.ts';
import type { OrgCatalog } from './integrations/org-catalog.ts';
import type { Orchestrator } from './orchestrator.ts';
import type { ApprovalStarts } from './outbox/approval-starts.ts';
import type { OutboxDeleter } from './outbox/outbox-deleter.ts';
import type { PolicyCache } from './policies/policy-cache.ts';
import type { PolicyListCache } from './policies/policy-list-cache.ts';
import type { Sandboxes } from './programs/sandboxes.ts';
import type { Schedulers } from './programs/schedulers.ts';
import type { SetupCache } from './surfaces/setup-cache.ts';
import type { SurfaceCache } from './surfaces/surface-cache.ts';

/**
 * The context object of all commands, one in each process. Commands get it as their first argument
 * and never import it.
 */
export interface Gateway {
  config: Config;
  db: Db;
  logger: Logger;
  tokens: Tokens;
  vault: Vault;
  receipts: ReceiptSigner;
  catalog: OrgCatalog;
  outbound: ServiceOutbound;
  /** Sessions with MCP servers. A session outlives the calls that use it. */
  remoteSessions: RemoteSessions;
  notices: Notices;
  /** Shows other processes that this process is alive. */
  processLock: ProcessLock;
  lookups: Lookups;
  recordCall: CallRecorder;
  insertEndUser: EndUserInserter;
  deleteOutbox: OutboxDeleter;
  runReader: RunReader;
  /**
   * Work that continues after the response to its request. A stopping process waits for it a
   * moment.
   */
  background: InFlight;
  policies: PolicyCache;
  policyLists: PolicyListCache;
  setups: SetupCache;
  surfaces: SurfaceCache;
  orchestrator: Orchestrator;
  approvalStarts: ApprovalStarts;
  /** Undefined if no language model is configured. */
  model: Model | undefined;
  /** Undefined if e-mail is not configured. */
  mailer: Mailer | undefined;
  /** Undefined if no OpenID provider is configured. */
  openId: OpenIdProvider | undefined;
  sandboxes: Sandboxes;
  schedulers: Schedulers;
}
