/** What stands where a value was hidden. */
export const REDACTED = '[redacted]';
