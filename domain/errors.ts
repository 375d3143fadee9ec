import { boundError, type Issue, joinWithin } from './bound-error.ts';

/** Every error code with its HTTP status (specification 7; contract decisions 1 to 4). */
export const STATUS = {
  BAD_REQUEST: 400,
  VALIDATION_ERROR: 400,
  INVALID_JSON: 400,
  NO_UPDATES: 400,
  WORKSPACE_REQUIRED: 400,
  INVALID_MCP_SCOPES: 400,
  INVALID_CODE_EXECUTE_REQUEST: 400,
  CONNECTION_REQUIRED: 400,
  ACTION_FAILED: 400,
  END_USER_REQUIRED: 400,
  DOCUMENT_INVALID: 400,
  DOCUMENT_TOO_COMPLEX: 400,
  DOCUMENT_UNSUPPORTED: 400,
  TOO_MANY_ACTIONS: 400,
  NOTHING_TO_IMPORT: 400,
  ADDRESS_NOT_ALLOWED: 400,
  FETCH_FAILED: 400,
  SERVER_REQUIRED: 400,
  EMAIL_NOT_CONFIGURED: 400,
  UNAUTHORIZED: 401,
  SCOPE_DENIED: 403,
  INSUFFICIENT_SCOPE: 403,
  QUOTA_EXCEEDED: 403,
  APPROVAL_DECISION_SCOPE_REQUIRED: 403,
  APPROVAL_POLICY_BLOCKED: 403,
  ACTION_NOT_ALLOWED: 403,
  ACTION_CHANGED: 403,
  SERVER_SUSPENDED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  END_USER_NOT_FOUND: 404,
  CONNECTION_NOT_FOUND: 404,
  INTEGRATION_NOT_FOUND: 404,
  ACTION_NOT_FOUND: 404,
  TRIGGER_NOT_FOUND: 404,
  PARTIAL_NOT_FOUND: 404,
  APPROVAL_NOT_FOUND: 404,
  APPROVAL_POLICY_NOT_FOUND: 404,
  CODE_RUN_NOT_FOUND: 404,
  CHANGE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  DUPLICATE: 409,
  ALIAS_CONFLICT: 409,
  AMBIGUOUS_INTEGRATION: 409,
  IDEMPOTENCY_CONFLICT: 409,
  EXECUTION_OUTCOME_UNKNOWN: 409,
  PARTIAL_MISMATCH: 409,
  MCP_BEARER_DISABLED: 409,
  MCP_OAUTH_DISABLED: 409,
  MCP_STATIC_BEARER_INCOMPATIBLE: 409,
  MCP_BEARER_BLOCKS_PER_USER: 409,
  MCP_CODE_MODE_REQUIRED: 409,
  APPROVAL_ALREADY_DECIDED: 409,
  APPROVAL_EXPIRED: 409,
  LAST_OWNER: 409,
  WEBHOOK_REMOVED: 409,
  CODE_RUN_FINISHED: 409,
  NOT_CUSTOM: 409,
  INTEGRATION_IN_USE: 409,
  CHANGE_ALREADY_DECIDED: 409,
  CHANGE_CONFLICT: 409,
  APPROVAL_LINK_EXPIRED: 410,
  CODE_RUN_RESULT_EXPIRED: 410,
  PAYLOAD_TOO_LARGE: 413,
  DOCUMENT_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(STATUS, code);
}

/**
 * The error that callers see. `message` and `details` are sent to callers, so they must not contain
 * a secret. `cause` is for operators only.
 */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details?: Record<string, unknown>, options?: ErrorOptions) {
    const bounded = boundError({ message, details });
    super(bounded.message, options);
    this.name = 'GatewayError';
    this.code = code;
    this.details = bounded.details;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

const ISSUES_IN_MESSAGE = 10;

/**
 * Returns the error of a request that is not valid. `omitted` is the number of issues that the
 * caller dropped before.
 */
export function validationError(issues: readonly Issue[], code: ErrorCode = 'VALIDATION_ERROR', omitted = 0): GatewayError {
  const named = issues.slice(0, ISSUES_IN_MESSAGE).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const message = joinWithin(named, issues.length - named.length + omitted);
  return new GatewayError(code, message, { issues, ...(omitted > 0 && { issuesOmitted: omitted }) });
}
