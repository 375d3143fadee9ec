import { openLookups } from '../commands/access/lookups.ts';
import { openReceiptSigner } from '../commands/approvals/receipt-signer.ts';
import { openCallRecorder } from '../commands/calls/call-recorder.ts';
import { openRunReader } from '../commands/code-runs/run-reader.ts';
import { openEndUserInserter } from '../commands/end-users/end-user-inserter.ts';
import type { Gateway } from '../commands/gateway.ts';
import { openOrgCatalog } from '../commands/integrations/org-catalog.ts';
import { ApprovalStarts } from '../commands/outbox/approval-starts.ts';
import { openOutboxDeleter } from '../commands/outbox/outbox-deleter.ts';
import { openPolicyCache } from '../commands/policies/policy-cache.ts';
import { openPolicyListCache } from '../commands/policies/policy-list-cache.ts';
import { openSandboxes } from '../commands/programs/sandboxes.ts';
import { openSchedulers } from '../commands/programs/schedulers.ts';
import { openSetupCache } from '../commands/surfaces/setup-cache.ts';
import { openSurfaceCache } from '../commands/surfaces/surface-cache.ts';
import { passLimits } from '../domain/pass-limits.ts';
import { InFlight } from '../infra/concurrency/in-flight.ts';
import { type Config, required } from '../infra/config.ts';
import { openDatabase } from '../infra/database.ts';
import { developmentWarnings } from '../infra/development-warnings.ts';
import { openLogger } from '../infra/logger.ts';
import { thisMachine } from '../infra/machine.ts';
import { openMailer } from '../infra/mailer.ts';
import { openModel } from '../infra/model.ts';
import { openNotices } from '../infra/notices.ts';
import { openOpenIdProvider } from '../infra/oauth/openid-provider.ts';
import { openProcessLock } from '../infra/process-lock.ts';
import { openServiceOutbound } from '../infra/service-outbound.ts';
import { openTemporal } from '../infra/temporal.ts';
import { openTokens } from '../infra/tokens.ts';
import { openVault } from '../infra/vault.ts';
import { openCatalog } from '../integrations/catalog.ts';
import { openRemoteSessions } from '../integrations/custom/mcp/remote-sessions.ts';
import { dataKeys } from '../store/data-keys.ts';

/** Limits in ms. The worker retries its activities, so its statements get more time. */
const STATEMENT_TIMEOUT_MS = {
  api: (awayAfterMs: number) => awayAfterMs + 300,
  worker: (awayAfterMs: number) => Math.max(10_000, awayAfterMs),
  admin: (awayAfterMs: number) => Math.max(10_000, awayAfterMs),
};
/** The worker sends many signals after an outage, so its calls get more time. */
const TEMPORAL_TIMEOUT_FACTOR = { api: 1, worker: 2, admin: 1 };

/** How long closing waits for background work. Unsent notifications stay in the outbox. */
const BACKGROUND_MS = 1500;

/** The API runs little code, so it keeps few idle runners (`openSandboxes`). */
const IDLE_RUNNERS = {
  api: () => ({ least: 0, most: 1, kept: 1 }),
  worker: (passes: number) => ({ least: 1, most: 4, kept: passes }),
  admin: () => ({ least: 0, most: 0, kept: 0 }),
};

/**
 * Builds the context of a process, even if the database or Temporal is unreachable. Throws
 * SetupError if a required setting is missing or malformed.
 */
export function openGateway(config: Config, name: 'api' | 'worker' | 'admin'): Gateway & { close(): Promise<void> } {
  const logger = openLogger(config.logLevel, { process: name });
  for (const warning of developmentWarnings(config)) logger.warn(warning);
  const db = openDatabase({
    url: required(config.databaseUrl, 'DATABASE_URL'),
    name: `gateway-${name}`,
    maxConnections: 20,
    connectTimeoutMs: config.awayAfterMs,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS[name](config.awayAfterMs),
  });
  const outbound = openServiceOutbound(config);
  const remoteSessions = openRemoteSessions();
  const model = openModel(config.model);
  const notices = openNotices(required(config.databaseUrl, 'DATABASE_URL'), logger);
  const processLock = openProcessLock(required(config.databaseUrl, 'DATABASE_URL'), logger);
  const orchestrator = openTemporal(config, logger, TEMPORAL_TIMEOUT_FACTOR[name] * config.awayAfterMs);
  const catalog = openOrgCatalog(db, openCatalog(), (hidden) =>
    logger.warn({ hidden }, 'custom integrations hide integrations of the service that have the same name'),
  );
  const setups = openSetupCache(db);
  const background = new InFlight();
  const passes = passLimits(thisMachine(), {
    ...{ runMemoryMb: config.code.memoryMb, maxPasses: config.code.passes, quota: config.quotas.codeRuns },
  });
  const sandboxes = openSandboxes(config, logger, IDLE_RUNNERS[name](passes.maxConcurrent));
  return {
    config,
    logger,
    db,
    outbound,
    remoteSessions,
    notices,
    processLock,
    orchestrator,
    approvalStarts: new ApprovalStarts(),
    tokens: openTokens(required(config.tokenPepper, 'TOKEN_PEPPER')),
    vault: openVault(required(config.encryptionKeys, 'ENCRYPTION_KEYS'), dataKeys),
    receipts: openReceiptSigner(db, required(config.receiptSigningKey, 'RECEIPT_SIGNING_KEY')),
    catalog,
    lookups: openLookups(db),
    recordCall: openCallRecorder(db),
    insertEndUser: openEndUserInserter(db),
    deleteOutbox: openOutboxDeleter(db),
    runReader: openRunReader(db),
    background,
    policies: openPolicyCache(db),
    policyLists: openPolicyListCache(db),
    setups,
    surfaces: openSurfaceCache(db, catalog, setups),
    model,
    mailer: openMailer(config.mail),
    openId: openOpenIdProvider(config.openId, outbound, config.outbound.allowHttp),
    sandboxes,
    schedulers: openSchedulers(passes),
    close: async () => {
      await background.drain(BACKGROUND_MS);
      await sandboxes.close();
      await remoteSessions.close();
      await Promise.allSettled([
        orchestrator.close(),
        outbound.close(),
        model?.close(),
        notices.close(),
        processLock.close(),
        db.destroy(),
      ]);
    },
  };
}
