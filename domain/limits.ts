/** Limits of requests and runs (specification 8). */

const KB = 1024;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const BODY_MAX_BYTES = 1024 * KB;
/** Maximum uncompressed size of an imported document, sent or fetched (import contract). */
export const DOCUMENT_MAX_BYTES = 32 * 1024 * KB;
/**
 * Maximum size of the body of a request that imports a document. Higher than the limit of the
 * document, because JSON escapes parts of the document.
 */
export const IMPORT_BODY_MAX_BYTES = 48 * 1024 * KB;
export const BODY_MAX_DEPTH = 64;
/**
 * Maximum depth of an action's output. It is larger than BODY_MAX_DEPTH, because an output can
 * contain an input.
 */
export const OUTPUT_MAX_DEPTH = BODY_MAX_DEPTH + 8;
export const BODY_MAX_KEYS = 50_000;
/**
 * Maximum number of distinct field names in one body. Also the maximum number of fields in all
 * large objects of one body. An object is large if it has more than 1,000 fields.
 */
export const BODY_MAX_FIELD_NAMES = 10_000;

/** The message for a JSON number outside the range of a double, such as 1e400. */
export const NUMBER_TOO_LARGE = 'is a number beyond 1.8e308, which is too large to be read';

/**
 * Maximum size of the free-form JSON of one record, as UTF-8. The limit is low, because a list
 * returns up to a hundred records.
 */
export const KEPT_JSON_MAX_BYTES = 64 * KB;

/**
 * Limits of every error response. Lengths are UTF-16 units; details are measured as JSON in UTF-8.
 */
export const ERROR_LIMITS = { sentenceMaxLength: 500, pathMaxLength: 200, maxIssues: 100, detailsMaxBytes: 90_000 } as const;

export const PAGE = { default: 50, min: 1, max: 100 } as const;

export const ALIAS = { maxLength: 64, pattern: /^[a-z][a-z0-9_-]*$/ } as const;
export const SLUG = { maxLength: 64, pattern: /^[a-z0-9][a-z0-9-]*$/ } as const;
export const NAME_MAX_LENGTH = 200;
export const DESCRIPTION_MAX_LENGTH = 2000;
/** The longest address that mail servers accept (RFC 5321, section 4.5.3). */
export const EMAIL_MAX_LENGTH = 254;

/**
 * Time after the decision during which the link to an approval shows the outcome (contract
 * decisions 7, A link after the decision).
 */
export const APPROVAL_OUTCOME_SECONDS = DAY;

export const DECISION_REASON_MAX_LENGTH = 2000;

/** The code that an operator sends with the signal `approve` (contract decisions 7). */
export const OPERATOR_CODE = { seconds: 10 * MINUTE, maxLength: 1024, pattern: /^opc_[\w-]+\.[\w-]{43}$/ } as const;

/**
 * Maximum number of pending operator signals per approval and signal name. Further signals are
 * dropped and counted.
 */
export const OPERATOR_SIGNALS_WAITING = 20;

/**
 * Maximum number of recorded refusals of operator signals per approval and signal name. Later
 * refusals are not recorded.
 */
export const OPERATOR_REFUSALS_RECORDED = 50;

export const APPROVAL_WAIT_SECONDS = { min: 0, max: 60, default: 0 } as const;

export const POLICY = {
  nameMaxLength: 120,
  descriptionMaxLength: 1000,
  priority: { min: 0, max: 10_000, default: 100 },
  timeoutSeconds: { min: MINUTE, max: 30 * DAY, default: HOUR },
  reuseWindowSeconds: { min: 0, max: 7 * DAY },
  maxOfOrg: 1000,
  /** Maximum number of patterns in all lists of a policy. A call may be matched against each. */
  maxPatterns: 500,
  maxFilterItems: 500,
  /** Retention of the facts about calls that backtests and shadow policies need. */
  factsKeptDays: 30,
  backtest: {
    days: { min: 1, max: 30, default: 7 },
    /** A backtest examines the newest calls. Its result says whether there were more. */
    maxCalls: 100_000,
    maxExamples: 20,
    /** One backtest reads at most this many policy versions, and bytes of their JSON. */
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
 * All partials of a workspace are loaded and cached together, so their number and the size of their
 * JSON are limited too.
 */
export const PARTIAL = { nameMaxLength: 100, descriptionMaxLength: 500, maxOfWorkspace: 500, maxBytesOfWorkspace: 1024 * KB } as const;

/** Maximum time that a change to an MCP server's tools waits for other changes in the workspace. */
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

/**
 * Maximum number of bytes read from a third party's answer, unless an action sets `maxBytes`. For a
 * tool of an MCP server, the limit applies to the output (import contract 4).
 */
export const ANSWER_MAX_BYTES = 5 * 1024 * KB;

/** Deadline of one action, unless the action sets another. A call that takes longer fails. */
export const ACTION_DEADLINE_SECONDS = 120;

/** Time limit of the integration `code`. */
export const COMPUTATION_SECONDS = 30;

/**
 * Concurrency limits of one service process, in total and per organization. `reserved` places are
 * for organizations that have no running work.
 */
export const CONCURRENCY = {
  /**
   * Short code has a time limit of at most COMPUTATION_SECONDS. Long code can have a higher limit.
   */
  shortCode: { maxConcurrent: 6, maxPerTenant: 3, reserved: 2 },
  longCode: { maxConcurrent: 8, maxPerTenant: 4, reserved: 2 },
  /** Worker threads, such as those that parse pages. */
  threads: { maxConcurrent: 2, maxPerTenant: 1, reserved: 0 },
  /**
   * Imports, each in a thread of at most 500 MB. Imports of MCP servers mainly wait for the server.
   */
  documentImports: { maxConcurrent: 2, maxPerTenant: 1, reserved: 0 },
  serverImports: { maxConcurrent: 4, maxPerTenant: 2, reserved: 1 },
  /** Comparisons of large changes, each in a thread of at most 500 MB. */
  comparisons: { maxConcurrent: 2, maxPerTenant: 1, reserved: 0 },
  /** Batches of calls that backtests of policies replay. */
  backtests: { maxConcurrent: 2, maxPerTenant: 1, reserved: 1 },
  /** Checks of an organization's activity log, from its start. */
  verifications: { maxConcurrent: 2, maxPerTenant: 1, reserved: 1 },
  /** Concurrent requests to Temporal about code runs that send no notification, in one process. */
  silentRuns: 4,
} as const;

/**
 * Limits of one Python or shell program of the integration `advanced-code`. Sizes are in MiB unless
 * the name says otherwise.
 */
export const SANDBOX_PROGRAM = {
  /** Resident memory of all processes together, and address space of each process. */
  memoryMb: 512,
  addressSpaceMb: 1024,
  /**
   * Threads count as processes. Together, `processes` and `openFiles` keep the socket buffers, of
   * 208 kB each in the kernel, within `memoryMb`.
   */
  processes: 48,
  /**
   * Replaces `processes` if the program runs under the service's user id. The service's own threads
   * then count too.
   */
  processesOfSharedUser: 64,
  openFiles: 48,
  fileMb: 32,
  /** Maximum size of each folder: the workspace folder and the temporary folder. */
  folderMb: 64,
  /** Maximum size of each stream: stdout and stderr. */
  outputMaxBytes: 256 * KB,
  /** Limits of the files in a persistent folder, and of the files in the mounted storage. */
  files: { max: 500, maxBytes: 16 * 1024 * KB, fileMaxBytes: 4 * 1024 * KB },
  /**
   * Time in addition to the time limit of the program. Covers copying files, and waiting for a free
   * place or for an earlier run in the same folder.
   */
  graceSeconds: 60,
} as const;

/**
 * Deadline for a third party to return the choices or fields of an input. A person waits for them.
 */
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
 * Maximum number of webhook attempts in flight in one process. `ofSilentDestination` applies to a
 * destination that timed out, until the destination responds.
 */
export const WEBHOOK_SLOTS = { total: 600, ofOrg: 300, ofDestination: 20, ofSilentDestination: 2 } as const;
/** Seconds by which further deliveries to a silent destination are delayed. */
export const WEBHOOK_PUT_OFF_SECONDS = 15;

/** Maximum size of one file of the storage integration. */
export const STORED_FILE_MAX_BYTES = 1024 * KB;
