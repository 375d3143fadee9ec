import { findUnrecorded } from '../../commands/audit/find-unrecorded.ts';
import { sealActivity } from '../../commands/audit/seal-activity.ts';
import { type ChainProblem, type NotedHead, verifyActivity } from '../../commands/audit/verify-activity.ts';
import { SetupError } from '../../infra/config.ts';
import type { Db } from '../../infra/database.ts';
import { type Head, listAuditedOrgIds } from '../../store/activity-chain.ts';
import { countOlderThanTrail } from '../../store/unrecorded.ts';
import { adminCommand } from './admin-command.ts';
import { onDatabase } from './on-database.ts';
import { readOptionalId, readOptions, UsageError } from './read-options.ts';

/**
 * Checks the hash chains of the activity log, and that no event is missing. Throws SetupError with
 * the problems.
 */
export const command = adminCommand({
  read: (args) => {
    const { org, noted } = readOptions(args, { org: { type: 'string' }, noted: { type: 'string' } });
    if (noted !== undefined && org === undefined) throw new UsageError('--noted needs --org: each organization has its own chain.');
    return { orgId: readOptionalId('--org', org), noted: noted === undefined ? undefined : readNoted(noted) };
  },
  run: (config, { orgId, noted }) => onDatabase(config, (db) => verify(db, orgId, noted)),
});

async function verify(db: Db, orgId: string | undefined, noted: NotedHead | undefined): Promise<string> {
  const unsealed: unknown = await sealActivity(db, orgId).then(
    () => undefined,
    (error) => error,
  );
  const orgIds = await listAuditedOrgIds(db);
  if (orgId !== undefined && !orgIds.includes(orgId)) throw new SetupError(`The organization ${orgId} is unknown, and has no audit trail.`);
  const [unrecorded, older] = [await findUnrecorded(db, orgId), await countOlderThanTrail(db)];
  const lines: string[] = [];
  let isWhole = true;
  for (const id of orgId === undefined ? orgIds : [orgId]) {
    const problems = openProblems(id);
    const head = await verifyActivity(db, id, problems.report, noted);
    for (const problem of unrecorded.get(id) ?? []) problems.report(problem);
    lines.push(...(problems.count() > 0 ? problems.lines() : [describe(id, head, older.get(id) ?? 0)]));
    isWhole &&= problems.count() === 0;
  }
  if (!isWhole) throw new SetupError(lines.join('\n'));
  // Thrown last: problems of the chain explain why it could not be extended.
  if (unsealed !== undefined) throw unsealed;
  return lines.join('\n');
}

function describe(orgId: string, { position, hash }: Head, older: number): string {
  const head = hash === null ? '' : `, head ${position}:${hash}`;
  return `${orgId}: ${position} rows${head}${older === 0 ? '' : `, ${older} approvals and policies are older than the trail`}`;
}

/** Maximum number of problems named per chain. A rewritten chain has one in every row. */
const NAMED = 100;

function openProblems(orgId: string) {
  const named: string[] = [];
  let count = 0;
  return {
    report({ position, id, problem }: ChainProblem) {
      count += 1;
      const place = [position !== null && `position ${position}`, id !== null && `id ${id}`].filter(Boolean).join(', ');
      if (named.length < NAMED) named.push([orgId, place, problem].filter(Boolean).join(': '));
    },
    count: () => count,
    lines: () => (count > named.length ? [...named, `${orgId}: and ${count - named.length} more`] : named),
  };
}

function readNoted(text: string): NotedHead {
  const [, position, hash] = /^([1-9]\d{0,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (position && hash) return { position: Number(position), hash };
  throw new UsageError(`--noted: ${text} is not a head as verify-audit prints it, POSITION:HASH.`);
}
