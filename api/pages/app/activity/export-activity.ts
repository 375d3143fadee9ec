import { findSignedInMember } from '../../../../commands/members/member-session.ts';
import type { ActivityCursor, ListedActivity } from '../../../../store/activity-list.ts';
import { presentActivity } from '../../../v1/activity/present.ts';
import type { Download, Visit } from '../screen.ts';
import { readSessionCookie } from '../session-cookie.ts';
import { filterActivity } from './activity-filter.ts';
import { writeCsvRow } from './write-csv-row.ts';

const PAGE = 1000;

const COLUMNS = [
  ...(['id', 'createdAt', 'type', 'actorType', 'actorId', 'workspaceId', 'approvalId', 'policyId', 'policyVersion', 'callId'] as const),
  ...(['codeRunId', 'deliveryId', 'integrationName', 'actionName', 'details', 'position', 'hash'] as const),
];

/** Exports the rows that the filters select, newest first, as CSV (RFC 4180). */
export async function exportCsv(visit: Visit): Promise<Download> {
  const rows = await readAll(visit);
  async function* content() {
    yield writeCsvRow(COLUMNS);
    for await (const page of rows) yield page.map((row) => writeCsvRow(COLUMNS.map((name) => row[name]))).join('');
  }
  return { fileName: 'activity.csv', type: 'text/csv; charset=utf-8', content: content() };
}

/**
 * Exports the rows that the filters select, newest first, as JSON lines. Each line is an item of
 * `GET /api/v1/activity`.
 */
export async function exportJsonLines(visit: Visit): Promise<Download> {
  const rows = await readAll(visit);
  async function* content() {
    for await (const page of rows) yield page.map((row) => `${JSON.stringify(presentActivity(row))}\n`).join('');
  }
  return { fileName: 'activity.jsonl', type: 'application/jsonl; charset=utf-8', content: content() };
}

/**
 * Reads a page only when the browser is ready for it. Throws if the member's session ends during
 * the export.
 */
async function readAll(visit: Visit): Promise<AsyncIterable<ListedActivity[]>> {
  const { read } = await filterActivity(visit);
  const token = readSessionCookie(visit.ctx, visit.gateway.config);
  async function* pages() {
    for (let after: ActivityCursor | undefined; ; ) {
      const { items, next } = await read({ limit: PAGE, after });
      yield items;
      if (!next) return;
      if (!(await findSignedInMember(visit.gateway, token))) throw new Error('The session ended during an export.');
      after = next;
    }
  }
  return pages();
}
