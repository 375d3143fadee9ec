import canonicalize from 'canonicalize';
import type { ReceiptClaims } from './receipt-claims.ts';

/** The unsigned fields beside a JWS, as in the response of GET /api/v1/approvals/{id}/receipt. */
export type ReceiptRecord = Readonly<Record<string, unknown>>;

/**
 * Describes the fields of a record that differ from the signed claims. A missing field is no
 * difference.
 */
export function findReceiptDifferences(record: ReceiptRecord, signed: ReceiptClaims): string[] {
  const { jti: id, approvalId, decidedAt: createdAt, iat, exp } = signed;
  const expiresAt = new Date(Date.parse(createdAt) + (exp - iat) * 1000).toISOString();
  const stated = 'claims' in record ? ofClaims(record.claims, signed) : [];
  return [...differences(record, { id, approvalId, createdAt, expiresAt }, ''), ...stated];
}

function ofClaims(claims: unknown, signed: ReceiptClaims): string[] {
  if (claims === null || typeof claims !== 'object' || Array.isArray(claims)) return ['claims is not an object'];
  const added = Object.keys(claims).filter((name) => !Object.hasOwn(signed, name));
  return [...differences(claims as ReceiptRecord, signed, 'claims.'), ...added.map((name) => `claims.${name} was not signed`)];
}

function differences(record: ReceiptRecord, signed: object, prefix: string): string[] {
  return Object.entries(signed)
    .filter(([name, value]) => Object.hasOwn(record, name) && canonicalize(record[name]) !== canonicalize(value))
    .map(([name, value]) => `${prefix}${name} is ${canonicalize(record[name])}, the signed value is ${canonicalize(value)}`);
}
