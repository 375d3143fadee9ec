/** Sign-in by an e-mailed code (contract decisions 8). */
export const SIGN_IN_CODE = {
  digits: 6,
  lifetimeSeconds: 600,
  guesses: 5,
  /** Codes per hour that are sent to one address. */
  maxPerAddress: 20,
  /** Codes per hour that one source address may request. */
  maxPerSource: 1000,
} as const;

/** Seconds for signing in at an OpenID provider. */
export const OPENID_SIGN_IN_SECONDS = 600;

/** Seconds for which the browser of an end user stays signed in. */
export const SIGN_IN_SESSION_SECONDS = 12 * 60 * 60;

/**
 * The issuer of an identity that was proved by an e-mailed code. For other identities, the issuer
 * is the URL of their OpenID provider.
 */
export const EMAIL_ISSUER = 'email';

/** A verified way to sign in: an e-mail address, or a subject of an OpenID provider. */
export interface Identity {
  id: string;
  issuer: string;
  subject: string;
  /** In lower case. The issuer has verified the address. */
  email: string;
}

/**
 * Returns an e-mail address in the form in which addresses are compared: trimmed and in lower case.
 * Returns undefined if the address is invalid.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  if (/\p{C}/u.test(email)) return undefined;
  return email.length <= 254 && /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@.<>"(),:;\\[\]]+$/.test(email) ? email : undefined;
}
