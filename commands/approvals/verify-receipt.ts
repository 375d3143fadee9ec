import { createHash } from 'node:crypto';
import { compactVerify, errors, importJWK } from 'jose';
import { z } from 'zod';
import { findAmbiguity } from '../../domain/strict-json.ts';
import { RECEIPT_ALGORITHM, RECEIPT_TYPE } from '../../infra/receipt-keys.ts';
import { hashCall, hashPlan } from '../calls/hash-call.ts';
import { findReceiptDifferences, type ReceiptRecord } from './find-receipt-differences.ts';
import { type ReceiptClaims, receiptClaims } from './receipt-claims.ts';

/** Why a receipt is refused, as a sentence. */
export class ReceiptProblem extends Error {
  override name = 'ReceiptProblem';
}

export interface VerifyReceipt {
  jws: string;
  /** The unsigned fields beside the JWS. They must match the claims. */
  record?: ReceiptRecord | undefined;
  /** The public keys, in the form that /.well-known/jwks.json returns. */
  jwks: unknown;
  approvalId?: string | undefined;
  /** For a call: the final input as JSON. For a plan: the program as it was sent. */
  input?: Buffer | undefined;
}

export interface VerifiedReceipt {
  kid: string;
  claims: ReceiptClaims;
}

/**
 * Verifies a receipt without network or clock. Does not check `exp`: that is the caller's task.
 * Throws ReceiptProblem.
 */
export async function verifyReceipt({ jws, record, jwks, approvalId, input }: VerifyReceipt): Promise<VerifiedReceipt> {
  const kid = readHeader(jws);
  const payload = parseJson(await verifySignature(jws, kid, findKey(jwks, kid)));
  const claims = readClaims(payload);
  if (record) assertSame(record, { ...(payload as object), ...claims });
  if (approvalId !== undefined && claims.approvalId !== approvalId)
    throw new ReceiptProblem(`The receipt is authentic, but about another approval: ${claims.approvalId}, not ${approvalId}.`);
  if (claims.kind === 'code_run_plan') assertPlan(claims, input);
  else if (input) assertInput(claims, input);
  return { kid, claims };
}

const header = z.object({ alg: z.unknown().optional(), typ: z.unknown().optional(), kid: z.unknown().optional() });

/**
 * Checks the algorithm and the type first, so that a sender cannot choose how the receipt is
 * verified.
 */
function readHeader(jws: string): string {
  const parts = jws.split('.');
  if (parts.length !== 3 || !parts.every(isBase64url))
    throw new ReceiptProblem('This is not a JWS in compact form. It must have three parts of base64url, with dots between them.');
  const read = header.safeParse(parseJson(Buffer.from(parts[0]!, 'base64url')));
  if (!read.success) throw new ReceiptProblem('This is not a JWS: its header cannot be read as JSON.');
  const { alg, typ, kid } = read.data;
  if (alg !== RECEIPT_ALGORITHM)
    throw new ReceiptProblem(
      `The header says alg ${JSON.stringify(alg) ?? 'nothing'}. Receipts are signed only with "${RECEIPT_ALGORITHM}".`,
    );
  if (typ !== RECEIPT_TYPE)
    throw new ReceiptProblem(`The header says typ ${JSON.stringify(typ) ?? 'nothing'}. A receipt has the type "${RECEIPT_TYPE}".`);
  if (typeof kid !== 'string') throw new ReceiptProblem('The header names no key (kid).');
  return kid;
}

/** Whether `part` is canonical base64url. Decoders ignore some bits of the last character. */
function isBase64url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

const keySet = z.object({ keys: z.array(z.looseObject({})) });
const publicKey = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() });

function findKey(jwks: unknown, kid: string): z.infer<typeof publicKey> {
  const read = keySet.safeParse(jwks);
  if (!read.success) throw new ReceiptProblem('This is not a key set: it must be JSON like {"keys": [...]} (RFC 7517).');
  const found = read.data.keys.find((key) => key.kid === kid);
  if (!found)
    throw new ReceiptProblem(
      `The key set has no key ${JSON.stringify(kid)}: another installation signed this, the key was revoked, or the set was saved before that key came into use (fetch it again).`,
    );
  const key = publicKey.safeParse(found);
  if (!key.success) throw new ReceiptProblem(`The key ${JSON.stringify(kid)} of the key set is not an Ed25519 key.`);
  return key.data;
}

async function verifySignature(jws: string, kid: string, jwk: z.infer<typeof publicKey>): Promise<Uint8Array> {
  const key = await importJWK(jwk, RECEIPT_ALGORITHM).catch(() => {
    throw new ReceiptProblem(`The key ${JSON.stringify(kid)} of the key set is not an Ed25519 key.`);
  });
  try {
    return (await compactVerify(jws, key, { algorithms: [RECEIPT_ALGORITHM] })).payload;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed)
      throw new ReceiptProblem(`The signature is wrong: the receipt was changed after it was signed, or the key ${kid} did not sign it.`);
    throw new ReceiptProblem(`The receipt cannot be verified: ${(error as Error).message}.`);
  }
}

function readClaims(payload: unknown): ReceiptClaims {
  const read = receiptClaims.safeParse(payload);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ReceiptProblem(
    `The signature is right, but the signed claims are malformed: ${issue!.path.join('.') || 'claims'}: ${issue!.message}.`,
  );
}

function assertSame(record: ReceiptRecord, signed: ReceiptClaims): void {
  const differences = findReceiptDifferences(record, signed);
  if (differences.length > 0)
    throw new ReceiptProblem(`The signed content is authentic, but the record beside it was changed: ${differences.join('; ')}.`);
}

type Claims<Kind extends ReceiptClaims['kind']> = Extract<ReceiptClaims, { kind: Kind }>;

function assertInput(claims: Claims<'call'>, bytes: Buffer): void {
  const text = decode(bytes);
  const input = text === undefined ? undefined : parseText(text);
  if (input === undefined) throw new ReceiptProblem('The receipt is authentic, but the input to compare cannot be read as JSON.');
  const ambiguity = findAmbiguity(text!);
  if (ambiguity)
    throw new ReceiptProblem(`The receipt is authentic, but the input to compare can be read in more than one way: ${ambiguity}.`);
  if (hashCall({ ...claims, input }) !== claims.inputHash)
    throw new ReceiptProblem(
      'The receipt is authentic, but this input is not what was approved. Give the input of the call with presets and defaults filled in.',
    );
}

function assertPlan(claims: Claims<'code_run_plan'>, code: Buffer | undefined): void {
  if (hashPlan({ ...claims, policyId: claims.policyId ?? '' }) !== claims.inputHash)
    throw new ReceiptProblem('The signature is right, but the inputHash does not match the plan in the claims.');
  if (code && createHash('sha256').update(code).digest('hex') !== claims.codeHash)
    throw new ReceiptProblem(
      'The receipt is authentic, but this program is not the one that was approved. Give the program byte for byte as it was sent.',
    );
}

function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  return text === undefined ? undefined : parseText(text);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
