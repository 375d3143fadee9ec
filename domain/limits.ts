/** Limits of requests and runs (specification 8). */

const KB = 1024;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const BODY_MAX_BYTES = 1024 * KB;
/** Maximum uncompressed size of an imported document (import contract). */
export const DOCUMENT_MAX_BYTES = 32 * 1024 * KB;
/** Higher than the limit of the document, because JSON escapes parts of the document. */
export const IMPORT_BODY_MAX_BYTES = 48 * 1024 * KB;
export const BODY_MAX_DEPTH = 64;
/** Maximum depth of an action's output. An output can contain an input, so it may be deeper. */
export const OUTPUT_MAX_DEPTH = BODY_MAX_DEPTH + 8;
/** Maximum number of values in a body: fields and list items at all depths. */
export const BODY_MAX_KEYS = 50_000;
/**
 * Maximum number of distinct field names in a body. Objects with more than 1,000 fields may
 * together have at most this number of fields.
 */
export const BODY_MAX_FIELD_NAMES = 10_000;

/** The message for a JSON number such as 1e400. */
export const NUMBER_TOO_LARGE = 'is a number beyond 1.8e308, which is too large to be read';

/**
 * Maximum size of one record's free-form JSON, as UTF-8. It is low, because a list returns up to a
 * hundred records.
 */
export const KEPT_JSON_MAX_BYTES = 64 * KB;

/** Lengths are UTF-16 units; details are measured as JSON in UTF-8. */
export const ERROR_LIMITS = { sentenceMaxLength: 500, pathMaxLength: 200, maxIssues: 100, detailsMaxBytes: 90_000 } as const;

export const PAGE = { default: 50, min: 1, max: 100 } as const;

export const ALIAS = { maxLength: 64, pattern: /^[a-z][a-z0-9_-]*$/ } as const;
export const SLUG = { maxLength: 64, pattern: /^[a-z0-9][a-z0-9-]*$/ } as const;
export const NAME_MAX_LENGTH = 200;
export const DESCRIPTION_MAX_LENGTH = 2000;
/** The longest address that mail servers accept (RFC 5321, section 4.5.3). */
export const EMAIL_MAX_LENGTH = 254;

/**
 * How long after the decision the link to an approval shows the outcome (contract decisions 7, A
 * link after the decision).
 */
export const APPROVAL_OUTCOME_SECONDS = DAY;

export const DECISION_REASON_MAX_LENGTH = 2000;

/** The code that an operator sends with the signal `approve` (contract decisions 7). */
export const OPERATOR_CODE = { seconds: 10 * MINUTE, maxLength: 1024, pattern: /^opc_[\w-]+\.[\w-]{43}$/ } as const;

/**
 * Maximum number of pending operator signals per approval and signal name. Further signals are
 * dropped.
 */
export const OPERATOR_SIGNALS_WAITING = 20;

/** Refusals are recorded for this many operator signals per approval and signal name. */
export const OPERATOR_REFUSALS_RECORDED = 50;

export const APPROVAL_WAIT_SECONDS = { min: 0, max: 60, default: 0 } as const;

export const POLICY = {
  nameMaxLength: 120,
  descriptionMaxLength: 1000,
  priority: { min: 0, max: 10_000, default: 100 },
  timeoutSeconds: { min: MINUTE, max: 30 * DAY, default: HOUR },
  reuseWindowSeconds: { min: 0, max: 7 * DAY },
  maxOfOrg: 1000,
  /** Maximum number of patterns in all lists of a policy together. */
  maxPatterns: 500,
  maxFilterItems: 500,
  /** Retention of the facts about calls that backtests and shadow policies need. */
  factsKeptDays: 30,
  backtest: {
    days: { min: 1, max: 30, default: 7 },
    /** A backtest examines the newest calls. */
    maxCalls: 100_000,
    maxExamples: 20,
    /** Policy versions, and bytes of their JSON, that one backtest reads. */
    maxVersions: 5000,
    maxVersionBytes: 128 * 1024 * KB,
  },
} as const;

export const ADVANCED_CODE_TIMEOUT_SECONDS = { min: 1, max: 300, default: 300 } as const;

export const MCP_TOKEN_SECONDS = { min: 5 * MINUTE, max: 90 * DAY, default: 30 * DAY } as const;

/** Lifetimes of connect tokens and of invitations (specification 8). */
export const CONNECT_TOKEN_SECONDS = { min: HOUR, max: 30 * DAY, default: 7 * DAY } as const;

/** Lifetime of a hosted connect session, from the token to the linked account. */
export const CONNECT_SESSION_SECONDS = HOUR;

/**
 * All partials of a workspace are loaded and cached together, so their number and size are limited.
 */
export const PARTIAL = { nameMaxLength: 100, descriptionMaxLength: 500, maxOfWorkspace: 500, maxBytesOfWorkspace: 1024 * KB } as const;

/** How long a change waits for a lock of `withKeyLock`. */
export const CHANGE_WAIT_SECONDS = 10;

/** Limits of one Code Mode run. Sizes are bytes of UTF-8. */
export const CODE_RUN = {
  codeMaxBytes: 256 * KB,
  inputMaxBytes: 1024 * KB,
  resultMaxBytes: 1024 * KB,
  outputMaxBytes: 1024 * KB,
  logMaxLines: 1000,
  logMaxBytes: 256 * KB,
  maxCalls: 200,
  maxTimers: 1000,
  maxCallsInFlight: 10,
} as const;

export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

/** Seconds for which a repeated idempotency key gets the stored outcome. */
export const IDEMPOTENCY_SECONDS = DAY;

/** Maximum number of bytes read from a third party's answer. An action can set another limit. */
export const ANSWER_MAX_BYTES = 5 * 1024 * KB;

/** Deadline of one action, unless the action sets another. */
export const ACTION_DEADLINE_SECONDS = 120;

/** Time limit of the integration `code`. */
export const COMPUTATION_SECONDS = 30;

/**
 * Limits of one service process. `reserved` places are for organizations that have no running work.
 */
export const CONCURRENCY = {
  /** Short code runs at most COMPUTATION_SECONDS. */
  shortCode: { maxConcurrent: 6, maxPerTenant: 3, reserved: 2 },
  longCode: { maxConcurrent: 8, maxPerTenant: 4, reserved: 2 },
  /** Worker threads, such as those that parse pages. */
  threads: { maxConcurrent: 2, maxPerTenant: 1, reserved: 0 },
  /** Each import has a thread of at most 500 MB. */
  documentImports: { maxConcurrent: 2, maxPerTenant: 1, reserved: 0 },
  serverImports: { maxConcurrent: 4, maxPerTenant: 2, reserved: 1 },
  /** Each comparison has a thread of at most 500 MB. */
  comparisons: { maxConcurrent: 2, maxPerTenant: 1, reserved: 0 },
  backtests: { maxConcurrent: 2, maxPerTenant: 1, reserved: 1 },
  /** Checks of an organization's activity log. */
  verifications: { maxConcurrent: 2, maxPerTenant: 1, reserved: 1 },
  /** Requests to Temporal about silent runs: code runs that send no notification. */
  silentRuns: 4,
} as const;

/** Limits of one Python or shell program. Sizes are in MiB unless the name says otherwise. */
export const SANDBOX_PROGRAM = {
  /** All processes share `memoryMb`; `addressSpaceMb` is for each process. */
  memoryMb: 512,
  addressSpaceMb: 1024,
  /**
   * Threads count as processes. `processes` and `openFiles` keep the socket buffers, of 208 kB each
   * in the kernel, within `memoryMb`.
   */
  processes: 48,
  /**
   * The limit for a program that runs under the service's user id. The service's own threads count
   * too.
   */
  processesOfSharedUser: 64,
  openFiles: 48,
  fileMb: 32,
  /** Limit of each folder: the workspace folder and the temporary folder. */
  folderMb: 64,
  /** Limit of each stream: stdout and stderr. */
  outputMaxBytes: 256 * KB,
  /** Limits of a persistent folder, and of the mounted storage. */
  files: { max: 500, maxBytes: 16 * 1024 * KB, fileMaxBytes: 4 * 1024 * KB },
  /** Time in addition to the program's time limit, for copying files and for waiting. */
  graceSeconds: 60,
} as const;

/** Deadline for loading choices or fields from a third party, while a person waits. */
export const PROPERTY_DEADLINE_SECONDS = 20;

/**
 * Delay before each webhook attempt, in seconds after the previous attempt (contract decisions 3).
 */
export const WEBHOOK_SCHEDULE_SECONDS = [
  0,
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
/** Largest share by which a delay is made longer or shorter at random. */
export const WEBHOOK_JITTER = 0.2;
export const WEBHOOK_TIMEOUT_SECONDS = 15;
export const WEBHOOK_RETRY_AFTER_MAX_SECONDS = DAY;

/** Seconds for which a webhook's previous secret still signs, together with the new secret. */
export const WEBHOOK_SECRET_OVERLAP_SECONDS = DAY;

/**
 * Webhook attempts in flight in one process. A destination is silent if its last finished attempt
 * timed out.
 */
export const WEBHOOK_SLOTS = { total: 600, ofOrg: 300, ofDestination: 20, ofSilentDestination: 2 } as const;
/** Seconds by which further deliveries to a silent destination are delayed. */
export const WEBHOOK_PUT_OFF_SECONDS = 15;

/** Maximum size of one file of the storage integration. */
export const STORED_FILE_MAX_BYTES = 1024 * KB;
