/** Every number that bounds a request or a run, in one place (specification section 8; design: security, sandbox). */

const KB = 1024;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const BODY_MAX_BYTES = 1024 * KB;
export const BODY_MAX_DEPTH = 64;
export const BODY_MAX_KEYS = 50_000;

/** What is said of a number in JSON that no program can read as one, such as 1e400. */
export const NUMBER_TOO_LARGE = 'is a number beyond 1.8e308, which is too large to be read';

/** Free JSON that is kept with a record, as UTF-8: lists answer a hundred of them at once. */
export const KEPT_JSON_MAX_BYTES = 64 * KB;

export const PAGE = { default: 50, min: 1, max: 100 } as const;

export const ALIAS = { maxLength: 64, pattern: /^[a-z][a-z0-9_-]*$/ } as const;
export const SLUG = { maxLength: 64, pattern: /^[a-z0-9][a-z0-9-]*$/ } as const;
export const NAME_MAX_LENGTH = 200;
export const DESCRIPTION_MAX_LENGTH = 2000;
/** What a mail server takes (RFC 5321, section 4.5.3). */
export const EMAIL_MAX_LENGTH = 254;

export const DECISION_REASON_MAX_LENGTH = 2000;

export const APPROVAL_WAIT_SECONDS = { min: 0, max: 60, default: 0 } as const;

export const POLICY = {
  nameMaxLength: 120,
  descriptionMaxLength: 1000,
  priority: { min: 0, max: 10_000, default: 100 },
  timeoutSeconds: { min: MINUTE, max: 30 * DAY, default: HOUR },
  reuseWindowSeconds: { min: 0, max: 7 * DAY },
} as const;

export const ADVANCED_CODE_TIMEOUT_SECONDS = { min: 1, max: 300, default: 300 } as const;

export const MCP_TOKEN_SECONDS = { min: 5 * MINUTE, max: 90 * DAY, default: 30 * DAY } as const;

/** Connect tokens and invitations (specification section 8). */
export const CONNECT_TOKEN_SECONDS = { min: HOUR, max: 30 * DAY, default: 7 * DAY } as const;

/** How long a hosted connect session may take, from the token to the account. */
export const CONNECT_SESSION_SECONDS = HOUR;

/** Calls load all partials of their workspace, so that there is a limit to them together; bytes of JSON. */
export const PARTIAL = { nameMaxLength: 100, descriptionMaxLength: 500, maxOfWorkspace: 500, maxBytesOfWorkspace: 1024 * KB } as const;

/** How long one change of what a workspace offers may wait for those before it. */
export const CHANGE_WAIT_SECONDS = 10;

/** One Code Mode run (design: security, sandbox). Sizes are bytes of UTF-8. */
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

/** How long a stored outcome answers a repeated idempotency key. */
export const IDEMPOTENCY_SECONDS = DAY;

/** How long one action may take, whatever it does; a call that takes longer has failed. */
export const ACTION_DEADLINE_SECONDS = 120;

/** How long a call of the integration `code` may compute. */
export const COMPUTATION_SECONDS = 30;

/**
 * What runs at a time in one process of the service, and of one organization; more wait. The places kept free are for organizations that
 * have none.
 */
export const TURNS = {
  /** Code that has at most COMPUTATION_SECONDS, whatever its language; and code that may take longer. */
  shortCode: { places: 6, placesOfOne: 3, keptFree: 2 },
  longCode: { places: 8, placesOfOne: 4, keptFree: 2 },
  /** Threads beside the main one, such as those that read pages. */
  threads: { places: 2, placesOfOne: 1, keptFree: 0 },
} as const;

/** One Python or shell program of the integration `advanced-code`; sizes in binary megabytes where not said otherwise. */
export const SANDBOX_PROGRAM = {
  /** Real memory of its processes together, and address space of each. */
  memoryMb: 512,
  addressSpaceMb: 1024,
  processes: 64,
  openFiles: 256,
  fileMb: 32,
  /** Its workspace folder and its temporary folder, each. */
  folderMb: 64,
  /** Of stdout and of stderr, each. */
  outputMaxBytes: 256 * KB,
  /** What a persistent workspace keeps, and what of the storage is mounted, each. */
  files: { max: 500, maxBytes: 16 * 1024 * KB, fileMaxBytes: 4 * 1024 * KB },
  /** Waiting for a place or for another run of the same persistent workspace, and bringing files there and back. */
  graceSeconds: 60,
} as const;

/** How long a third party may take to name the choices or fields of an input: somebody waits before a form. */
export const PROPERTY_DEADLINE_SECONDS = 20;

/** Webhook attempts: seconds to wait before each, counted from the one before (decisions section 3). */
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
export const WEBHOOK_JITTER = 0.2;
export const WEBHOOK_TIMEOUT_SECONDS = 15;
export const WEBHOOK_RETRY_AFTER_MAX_SECONDS = DAY;

/** How long the former secret of a webhook goes on signing beside the one that replaced it. */
export const WEBHOOK_SECRET_OVERLAP_SECONDS = DAY;

/** Attempts in flight in one process. A destination that did not answer in time has few places until it does. */
export const WEBHOOK_PLACES = { total: 600, ofOrg: 300, ofDestination: 20, ofSilentDestination: 2 } as const;
/** How long what waits for a silent destination is put off. */
export const WEBHOOK_PUT_OFF_SECONDS = 15;

/** Of one file that the storage integration keeps. */
export const STORED_FILE_MAX_BYTES = 1024 * KB;
