/** Sign-in by an e-mailed code (contract decisions 8). */
export const SIGN_IN_CODE = {
  digits: 6,
  lifetimeSeconds: 600,
  guesses: 5,
  /** Codes sent per hour. */
  maxPerAddress: 20,
  /** Codes requested per hour. */
  maxPerSource: 1000,
} as const;

/** Seconds for signing in at an OpenID provider. */
export const OPENID_SIGN_IN_SECONDS = 600;

/** How long an end user's browser stays signed in. */
export const SIGN_IN_SESSION_SECONDS = 12 * 60 * 60;

/** The issuer of an identity that an e-mailed code proved. Other issuers are URLs. */
export const EMAIL_ISSUER = 'email';

/** A verified way to sign in: an e-mail address, or a subject of an OpenID provider. */
export interface Identity {
  id: string;
  issuer: string;
  subject: string;
  /** The address in lower case, verified by the issuer. */
  email: string;
}

/**
 * Returns a mail address without surrounding white space and in lower case. Undefined if the
 * address is invalid.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  if (/\p{C}/u.test(email)) return undefined;
  return email.length <= 254 && /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@.<>"(),:;\\[\]]+$/.test(email) ? email : undefined;
}
