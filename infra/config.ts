import { z } from 'zod';

const flag = z
  .enum(['', '0', '1', 'false', 'true'])
  .default('')
  .transform((value) => value === '1' || value === 'true');
const integer = (fallback: number, min: number, max: number) => z.coerce.number().int().min(min).max(max).default(fallback);
const optionalInteger = z
  .union([z.literal(''), z.coerce.number().int().min(0)])
  .optional()
  .transform((value) => (value === '' ? undefined : value));
/** Some launchers pass unset variables as empty. */
const integerOrDefault = (fallback: number, max: number) =>
  z.preprocess((value) => (value === '' ? undefined : value), z.coerce.number().int().min(0).max(max).default(fallback));
const optionalUrl = z
  .union([z.literal(''), z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })])
  .optional()
  .transform((value) => value || undefined);
const commaList = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

/**
 * Every environment variable of the service, with its default (contract decisions 6,
 * docs/running.md).
 */
export const VARIABLES = {
  PORT: integer(8080, 0, 65_535).describe('port of the API'),
  HOST: z.string().default('127.0.0.1').describe('address on which the API listens'),
  DATA_DIR: z.string().default('.gateway').describe('folder for all data of npm start'),
  CACHE_DIR: z.string().optional().describe('folder of downloaded programs; default: the user cache folder'),
  TEMPORAL_UI_PORT: integer(8233, 1, 65_535).describe('port of the embedded Temporal UI; if taken, the next free port'),
  TEMPORAL_PORT: integer(7233, 1, 65_535).describe('port of the embedded Temporal server; if taken, the next free port'),
  POSTGRES_PORT: integer(5433, 1, 65_535).describe('port of the embedded Postgres; if taken, the next free port'),
  DATABASE_URL: z.string().optional().describe('use this Postgres instead of the embedded Postgres'),
  TEMPORAL_ADDRESS: z.string().optional().describe('use this Temporal instead of the embedded server'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace'),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .default('gateway')
    .describe(
      'Temporal task queue; webhook retries use the queue <name>-webhooks, cancellations of runs by operators the queue <name>-decisions',
    ),
  OPERATOR_SIGNALS: z
    .enum(['', 'codes', 'trusted'])
    .default('codes')
    .describe(
      'codes: the signal approve needs a code from the command operator-code; trusted: no code, because Temporal authorizes its users',
    ),
  WORKFLOW_BUNDLE: z.string().optional().describe('file of worker/bundle-workflows.ts; default: every worker bundles at its start'),
  BASE_URL: z.string().optional().describe('address of the API as callers see it; default: http://HOST:PORT'),
  PLATFORM_URL: z.string().optional().describe('address of the hosted pages; default: BASE_URL'),
  TEMPORAL_UI_URL: z.string().optional().describe('address of the Temporal UI as operators see it'),
  TEMPORAL_UI_FILES: optionalUrl.describe(
    'server from which standalone/temporal-ui-main.ts gets the files of the UI, such as http://temporal-ui:8080',
  ),
  ENCRYPTION_KEYS: z.string().optional().describe('id:base64 of 32 bytes, comma-separated; the first key encrypts'),
  TOKEN_PEPPER: z.string().optional().describe('secret for hashing keys and tokens: at least 32 characters'),
  RECEIPT_SIGNING_KEY: z.string().optional().describe('secret for signing receipts: base64 of 32 bytes, an Ed25519 seed'),
  OUTBOUND_ALLOW_HTTP: flag.describe('development: allow plain HTTP destinations'),
  OUTBOUND_ALLOW_CIDRS: commaList.describe('development: private ranges that may be called, such as 127.0.0.0/8'),
  OUTBOUND_REFUSE: commaList.describe('further parts of the service that are never called, as host:port'),
  OUTBOUND_RESOLVE: commaList.describe(
    'development: hosts whose requests go to another address, as host=address:port; the certificate must name the host',
  ),
  AWAY_AFTER_MS: integer(1500, 100, 60_000).describe(
    'time in ms without an answer after which Postgres or Temporal counts as unavailable: requests that need it get 503 UNAVAILABLE',
  ),
  RATE_LIMIT_PER_SECOND: integer(100, 0, 1_000_000).describe('requests per second and organization; 0 = no limit'),
  RATE_LIMIT_BURST: optionalInteger.describe('largest burst of requests per organization; default: twice the rate'),
  CODE_LIMIT_SECONDS: integer(300, 1, 300).describe('limit of the running time of a code run, in seconds'),
  CODE_MEMORY_MB: integer(128, 16, 2048).describe('memory limit of a code run, in MB'),
  CODE_PASSES: optionalInteger.describe('code runs that one worker executes at a time; empty = by memory and cores of the machine'),
  SANDBOX_REUSE: z
    .enum(['principal', 'never'])
    .default('principal')
    .describe('principal: a process runs code of one principal, one pass after another; never: each pass has its own process'),
  CODE_RESULT_RETENTION_HOURS: integer(24, 1, 8760).describe('hours for which the result of a code run is kept'),
  ADVANCED_CODE_UNCONFINED: flag.describe('run Python and shell programs of callers even where this machine cannot confine them'),
  QUOTA_MCP_SERVERS: optionalInteger.describe('maximum number of MCP servers per organization; empty = no quota'),
  QUOTA_CODE_RUNS: optionalInteger.describe('maximum number of running code runs per organization; empty = no quota'),
  QUOTA_STORAGE_MB: integerOrDefault(1024, 1_000_000_000).describe('MiB of files and key-value entries per organization; 0 = no quota'),
  QUOTA_CUSTOM_INTEGRATIONS: integerOrDefault(200, 1_000_000).describe('limit of imported integrations per organization; 0 = no quota'),
  CORS_ORIGINS: commaList.describe('web origins whose pages may call the REST API, such as https://app.example.com; * = any'),
  MODEL_BASE_URL: optionalUrl.describe('OpenAI-compatible endpoint that judges risks, such as https://api.example.com/v1; empty = none'),
  MODEL_API_KEY: z.string().optional().describe('key of the endpoint MODEL_BASE_URL; empty = no key'),
  MODEL_NAME: z.string().optional().describe('model at the endpoint; needed with MODEL_BASE_URL'),
  SMTP_URL: z.string().optional().describe('mail server, such as smtps://user:password@mail.example.com; empty = no e-mail'),
  MAIL_FROM: z.string().optional().describe('sender of e-mails, such as Gateway <gateway@example.com>; needed with SMTP_URL'),
  OIDC_ISSUER: optionalUrl.describe(
    'OpenID provider where end users and members may sign in, such as https://id.example.com; empty = none',
  ),
  OIDC_CLIENT_ID: z.string().optional().describe('client id of this service at the OpenID provider; needed with OIDC_ISSUER'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('client secret of this service at the OpenID provider; needed with OIDC_ISSUER'),
  OIDC_DEFAULT_ROLE: z
    .enum(['', 'viewer', 'member', 'admin'])
    .default('')
    .describe('role of new people from the OpenID provider: viewer, member or admin; empty = new people are refused'),
  OIDC_ONLY: flag.describe('1 = members sign in to the dashboard only at the OpenID provider, not by password or e-mailed code'),
  MCP_CORS_ORIGINS: commaList.describe(
    'web origins whose pages may call MCP servers, for clients that run in a browser, such as https://inspector.example.com; * = any',
  ),
  TRUSTED_PROXIES: commaList.describe(
    'addresses or ranges of proxies in front of the API, such as 10.0.0.0/8; their X-Forwarded-For names the source of a request; empty = none',
  ),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info').describe('how much is logged'),
} as const;

const variables = z
  .object(VARIABLES)
  .refine(({ MODEL_BASE_URL, MODEL_NAME }) => !MODEL_BASE_URL || MODEL_NAME, {
    path: ['MODEL_NAME'],
    message: 'is needed with MODEL_BASE_URL',
  })
  .refine(({ SMTP_URL, MAIL_FROM }) => !SMTP_URL || MAIL_FROM, { path: ['MAIL_FROM'], message: 'is needed with SMTP_URL' })
  .superRefine((env, context) => {
    for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const)
      if (env.OIDC_ISSUER && !env[name]) context.addIssue({ code: 'custom', path: [name], message: 'is needed with OIDC_ISSUER' });
    for (const name of ['OIDC_DEFAULT_ROLE', 'OIDC_ONLY'] as const)
      if (env[name] && !env.OIDC_ISSUER) context.addIssue({ code: 'custom', path: [name], message: 'needs OIDC_ISSUER' });
  });

const schema = variables.transform((env) => ({
  port: env.PORT,
  host: env.HOST,
  dataDir: env.DATA_DIR,
  cacheDir: env.CACHE_DIR,
  postgresPort: env.POSTGRES_PORT,
  databaseUrl: env.DATABASE_URL,
  temporal: {
    address: env.TEMPORAL_ADDRESS,
    port: env.TEMPORAL_PORT,
    uiPort: env.TEMPORAL_UI_PORT,
    uiUrl: env.TEMPORAL_UI_URL,
    uiFiles: env.TEMPORAL_UI_FILES,
    namespace: env.TEMPORAL_NAMESPACE,
    taskQueue: env.TEMPORAL_TASK_QUEUE,
    workflowBundle: env.WORKFLOW_BUNDLE,
  },
  operatorSignals: env.OPERATOR_SIGNALS || 'codes',
  baseUrl: trimSlash(env.BASE_URL ?? `http://${env.HOST}:${env.PORT}`),
  platformUrl: trimSlash(env.PLATFORM_URL ?? env.BASE_URL ?? `http://${env.HOST}:${env.PORT}`),
  encryptionKeys: env.ENCRYPTION_KEYS,
  tokenPepper: env.TOKEN_PEPPER,
  receiptSigningKey: env.RECEIPT_SIGNING_KEY,
  outbound: {
    allowHttp: env.OUTBOUND_ALLOW_HTTP,
    allowCidrs: env.OUTBOUND_ALLOW_CIDRS,
    refuse: env.OUTBOUND_REFUSE,
    resolve: env.OUTBOUND_RESOLVE,
  },
  awayAfterMs: env.AWAY_AFTER_MS,
  rateLimit: { perSecond: env.RATE_LIMIT_PER_SECOND, burst: env.RATE_LIMIT_BURST ?? env.RATE_LIMIT_PER_SECOND * 2 },
  code: {
    limitSeconds: env.CODE_LIMIT_SECONDS,
    memoryMb: env.CODE_MEMORY_MB,
    passes: env.CODE_PASSES || undefined,
    reusesRunners: env.SANDBOX_REUSE === 'principal',
    retentionHours: env.CODE_RESULT_RETENTION_HOURS,
  },
  advancedCode: { allowsUnconfined: env.ADVANCED_CODE_UNCONFINED },
  quotas: {
    mcpServers: env.QUOTA_MCP_SERVERS,
    codeRuns: env.QUOTA_CODE_RUNS,
    customIntegrations: env.QUOTA_CUSTOM_INTEGRATIONS === 0 ? undefined : env.QUOTA_CUSTOM_INTEGRATIONS,
    storageBytes: env.QUOTA_STORAGE_MB === 0 ? undefined : env.QUOTA_STORAGE_MB * 1024 * 1024,
  },
  corsOrigins: env.CORS_ORIGINS,
  mcpCorsOrigins: env.MCP_CORS_ORIGINS,
  trustedProxies: env.TRUSTED_PROXIES,
  openId:
    env.OIDC_ISSUER && env.OIDC_CLIENT_ID && env.OIDC_CLIENT_SECRET
      ? { issuer: env.OIDC_ISSUER, clientId: env.OIDC_CLIENT_ID, clientSecret: env.OIDC_CLIENT_SECRET }
      : undefined,
  memberSignIn: { isOpenIdOnly: env.OIDC_ONLY, defaultRole: env.OIDC_DEFAULT_ROLE || undefined },
  model:
    env.MODEL_BASE_URL && env.MODEL_NAME
      ? { baseUrl: trimSlash(env.MODEL_BASE_URL), apiKey: env.MODEL_API_KEY, name: env.MODEL_NAME }
      : undefined,
  mail: env.SMTP_URL && env.MAIL_FROM ? { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM } : undefined,
  logLevel: env.LOG_LEVEL,
}));

/** The configuration of a process. */
export type Config = z.infer<typeof schema>;

/** A mistake in the settings. The message says how to fix it. */
export class SetupError extends Error {
  override name = 'SetupError';
}

/** Reads the environment. Throws a SetupError that names the wrong variables. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const parsed = schema.safeParse(env);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new SetupError(`The environment is not right. ${problems.join('; ')}. See docs/running.md for every variable.`);
}

const SECRET_VARIABLES = [
  ...['DATABASE_URL', 'ENCRYPTION_KEYS', 'TOKEN_PEPPER', 'RECEIPT_SIGNING_KEY'],
  ...['MODEL_API_KEY', 'SMTP_URL', 'OIDC_CLIENT_SECRET'],
];

/**
 * Returns the variables that differ from their defaults, as `NAME=value`; for a secret `NAME=…`.
 */
export function changedVariables(env: Record<string, string | undefined> = process.env): string[] {
  return Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const value = env[name];
    if (!value || String(variable.parse(value)) === String(variable.parse(undefined))) return [];
    return SECRET_VARIABLES.includes(name) ? [`${name}=…`] : [`${name}=${value}`];
  });
}

/** Throws a SetupError if a setting is not set. */
export function required<T>(value: T | undefined, variable: keyof typeof VARIABLES): T {
  if (value === undefined || value === '')
    throw new SetupError(`${variable} is not set. Set it, or use npm start, which creates it. See docs/running.md.`);
  return value;
}

/** Returns the environment of this process plus `values`, for a child process of the service. */
export function childEnvironment(values: Partial<Record<keyof typeof VARIABLES, string>>): Record<string, string | undefined> {
  return { ...process.env, ...values };
}

/**
 * Returns the environment for a foreign program, without the service's variables: some are secret.
 */
export function foreignEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in VARIABLES)));
}

/** Whether an npm script started this process. */
export function isRunByNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined;
}

function trimSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
