import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ReceiptRecord } from '../commands/approvals/find-receipt-differences.ts';
import type { ReceiptClaims } from '../commands/approvals/receipt-claims.ts';
import { ReceiptProblem, type VerifiedReceipt, type VerifyReceipt, verifyReceipt } from '../commands/approvals/verify-receipt.ts';
import { escapeHidden } from '../domain/redaction/visible-text.ts';
import { findAmbiguity } from '../domain/strict-json.ts';

const USAGE = `Usage: npm run --silent verify-receipt -- FILE --jwks FILE [--input FILE] [--approval ID]
  FILE          the receipt: a compact JWS, or the answer of GET /api/v1/approvals/{id}/receipt
  --jwks FILE   the key set, as GET /.well-known/jwks.json answers it
  --input FILE  compares with the approved input: the final input as JSON, or the program of a code run
  --approval ID the approval that the receipt must be about
One FILE may be - for the standard input. Exit code 0: authentic and valid; 3: authentic but expired; 1: not verified; 2: invalid arguments.`;

const EXIT = { good: 0, wrong: 1, usage: 2, over: 3 } as const;

/**
 * npm run --silent verify-receipt -- …: verifies a receipt without network, service or
 * configuration (docs/receipts.md).
 */
async function main(args: string[]): Promise<number> {
  const given = readArguments(args);
  const verified = await verifyReceipt({
    ...findReceipt(read(given.file).toString('utf8').trim()),
    jwks: parseJson(read(given.jwks).toString('utf8')),
    input: given.input === undefined ? undefined : read(given.input),
    approvalId: given.approval,
  });
  const isOver = verified.claims.exp * 1000 <= Date.now();
  process.stdout.write(`${describe(verified, isOver, given.input !== undefined).join('\n')}\n`);
  return isOver ? EXIT.over : EXIT.good;
}

class UsageProblem extends Error {}

interface Arguments {
  file: string;
  jwks: string;
  input: string | undefined;
  approval: string | undefined;
}

function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args);
  const [file, ...others] = positionals;
  const { jwks, input, approval } = values;
  if (file === undefined || jwks === undefined || others.length > 0) throw new UsageProblem(USAGE);
  if ([file, jwks, input].filter((name) => name === '-').length > 1) throw new UsageProblem(`Only one FILE may be -.\n${USAGE}`);
  return { file, jwks, input, approval };
}

function parse(args: string[]) {
  try {
    const options = { jwks: { type: 'string' }, input: { type: 'string' }, approval: { type: 'string' } } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageProblem(`${(error as Error).message}\n${USAGE}`);
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new UsageProblem(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function findReceipt(text: string): Pick<VerifyReceipt, 'jws' | 'record'> {
  const json = parseJson(text) as { receipt?: ReceiptRecord } | null | undefined;
  const record = json?.receipt ?? (json as ReceiptRecord | null | undefined);
  if (typeof record?.jws !== 'string') return { jws: text };
  const ambiguity = findAmbiguity(text);
  if (ambiguity) throw new ReceiptProblem(`The receipt may be read in more than one way: ${ambiguity}.`);
  return { jws: record.jws, record };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe({ kid, claims }: VerifiedReceipt, isOver: boolean, hasInput: boolean): string[] {
  const until = new Date(claims.exp * 1000).toISOString();
  const { requestedBy, decidedBy } = claims;
  return [
    `Authentic: signed by ${claims.iss} under the key ${kid}.`,
    isOver ? `Expired: valid until ${until}.` : `Valid until ${until}.`,
    ...describeSubject(claims, hasInput),
    `Approval       ${claims.approvalId}, receipt ${claims.jti}`,
    `Approved       ${claims.decidedAt} by ${who(decidedBy)}`,
    `Asked for by   ${who(requestedBy)}, from ${claims.source}`,
    `Policy         "${claims.policyName}", version ${claims.policyVersion} (${claims.policyId})`,
    `Organization   ${claims.orgId}`,
    `Workspace      ${claims.workspaceId}`,
    `MCP server     ${claims.mcpServerId ?? 'none'}`,
    `End user       ${claims.endUserId ?? 'none'}`,
    `Input hash     ${claims.inputHash}`,
  ].map(onOneLine);
}

function describeSubject(claims: ReceiptClaims, hasInput: boolean): string[] {
  if (claims.kind === 'code_run_plan') {
    const tools = claims.plannedTools?.map(({ alias, action, connection }) => `${alias}.${action} with ${account(connection)}`);
    return [
      hasInput
        ? 'The program given is exactly the one that was approved.'
        : 'The program was not compared. To compare it, add --input FILE.',
      `Program        of the code run ${claims.codeRunId}, SHA-256 ${claims.codeHash}`,
      ...(tools ?? []).map((tool) => `May call       ${tool}`),
    ];
  }
  const { integrationName, integrationAlias, actionName, connectionId, connectionVersion, codeRunId } = claims;
  return [
    hasInput ? 'The input given is exactly what was approved.' : 'The input was not compared. To compare it, add --input FILE.',
    `Call           ${actionName} of ${integrationName}${integrationAlias === null ? '' : `, configured as ${integrationAlias}`}`,
    `Account        ${account(connectionId && `${connectionId}/${connectionVersion}`)}`,
    ...(codeRunId === null ? [] : [`Code run       ${codeRunId}`]),
  ];
}

function who({ type, id }: { type: string; id: string | null }): string {
  return id === null ? type : `${type} ${id}`;
}

function account(connection: string | null): string {
  return connection === null ? 'no connection' : `the connection ${connection.replace('/', ', credentials version ')}`;
}

/** A name must not imitate our output. */
function onOneLine(text: string): string {
  return escapeHidden(text).replaceAll('\n', '\\n');
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageProblem;
  if (!isUsage && !(error instanceof ReceiptProblem)) throw error;
  process.stderr.write(`${isUsage ? error.message : `NOT VERIFIED. ${onOneLine(error.message)}`}\n`);
  process.exitCode = isUsage ? EXIT.usage : EXIT.wrong;
}
