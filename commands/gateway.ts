import type { Outbound } from '../domain/outbound.ts';
import { passTurns } from '../domain/pass-turns.ts';
import { type Config, developmentWarnings, required } from '../infra/config.ts';
import { type Db, openDatabase } from '../infra/database.ts';
import { type Logger, openLogger } from '../infra/logger.ts';
import { thisMachine } from '../infra/machine.ts';
import { type Mailer, openMailer } from '../infra/mailer.ts';
import { type Model, openModel } from '../infra/model.ts';
import { type Notices, openNotices } from '../infra/notices.ts';
import { openOutbound } from '../infra/outbound.ts';
import { ownParts } from '../infra/own-parts.ts';
import { openProcessLock, type ProcessLock } from '../infra/process-lock.ts';
import { openTemporal } from '../infra/temporal.ts';
import { openTokens, type Tokens } from '../infra/tokens.ts';
import { openVault, type Vault } from '../infra/vault.ts';
import { type Catalog, openCatalog } from '../integrations/catalog.ts';
import { dataKeys } from '../store/data-keys.ts';
import { openReceiptSigner, type ReceiptSigner } from './open-receipt-signer.ts';
import { openSandboxes, type Sandboxes } from './open-sandboxes.ts';
import { openTurns, type Turns } from './open-turns.ts';
import type { Orchestrator } from './orchestrator.ts';
import { openPolicyCache, type PolicyCache } from './policy-cache.ts';
import { openSetupCache, type SetupCache } from './setup-cache.ts';
import { openSurfaceCache, type SurfaceCache } from './surface-cache.ts';

/** The one context object: everything that a command may use. Built once in a main.ts, passed as the first argument, never imported. */
export interface Gateway {
  config: Config;
  db: Db;
  logger: Logger;
  tokens: Tokens;
  vault: Vault;
  receipts: ReceiptSigner;
  catalog: Catalog;
  outbound: Outbound;
  notices: Notices;
  /** What others know this process by, and that it lives. */
  processLock: ProcessLock;
  policies: PolicyCache;
  setups: SetupCache;
  surfaces: SurfaceCache;
  orchestrator: Orchestrator;
  /** Undefined when no language model is configured. */
  model: Model | undefined;
  /** Undefined when e-mail is not configured. */
  mailer: Mailer | undefined;
  sandboxes: Sandboxes;
  turns: Turns;
}

/** A caller is told within two seconds that the database is away; activities are retried, and may be patient. */
const STATEMENT_TIMEOUT_MS = { api: 1800, worker: 10_000, admin: 10_000 };

/** At rest the worker keeps an isolate started ahead for the next pass; the API, which runs few, keeps none. */
const ISOLATES_AHEAD = { api: { least: 0, most: 1 }, worker: { least: 1, most: 4 }, admin: { least: 0, most: 0 } };

/** Builds the context of a process. Opens nothing yet: a database or a Temporal that is away shows in the first use. */
export function openGateway(config: Config, name: 'api' | 'worker' | 'admin'): Gateway & { close(): Promise<void> } {
  const logger = openLogger(config.logLevel, { process: name });
  for (const warning of developmentWarnings(config)) logger.warn(warning);
  const db = openDatabase({
    url: required(config.databaseUrl, 'DATABASE_URL'),
    name: `gateway-${name}`,
    maxConnections: 20,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS[name],
  });
  const outbound = openOutbound({ ...config.outbound, ownParts: ownParts(config) });
  const model = openModel(config.model);
  const notices = openNotices(required(config.databaseUrl, 'DATABASE_URL'), logger);
  const processLock = openProcessLock(required(config.databaseUrl, 'DATABASE_URL'), logger);
  const orchestrator = openTemporal(config, logger);
  const catalog = openCatalog();
  const setups = openSetupCache(db);
  const sandboxes = openSandboxes(config, logger, ISOLATES_AHEAD[name]);
  return {
    config,
    logger,
    db,
    outbound,
    notices,
    processLock,
    orchestrator,
    tokens: openTokens(required(config.tokenPepper, 'TOKEN_PEPPER')),
    vault: openVault(required(config.encryptionKeys, 'ENCRYPTION_KEYS'), dataKeys),
    receipts: openReceiptSigner(db, required(config.receiptSigningKey, 'RECEIPT_SIGNING_KEY')),
    catalog,
    policies: openPolicyCache(db),
    setups,
    surfaces: openSurfaceCache(db, catalog, setups),
    model,
    mailer: openMailer(config.mail),
    sandboxes,
    turns: openTurns(
      passTurns(thisMachine(), { runMemoryMb: config.code.memoryMb, atOnce: config.code.passes, quota: config.quotas.codeRuns }),
    ),
    close: async () => {
      await sandboxes.close();
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
