import { type VerifiedTrail, verifyTrail } from '../../../../commands/audit/verify-trail.ts';
import { PAGE } from '../../../../domain/limits.ts';
import { cursorsOf } from '../../../cursor.ts';
import { goneSignal } from '../../../gone-signal.ts';
import { activityId } from '../../../v1/activity/schema.ts';
import { listView } from '../list.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { ACTIVITY_FILTERS, filterActivity } from './activity-filter.ts';
import { activityRows } from './activity-rows.ts';
import { exportCsv, exportJsonLines } from './export-activity.ts';

const BASE = '/activity';
const cursors = cursorsOf('activity of the dashboard', activityId);

/** Screens to read and export the activity log and to verify its hash chain (docs/audit.md). */
export const activityScreens: readonly Screen[] = [
  { ...{ path: BASE, role: 'viewer', navigation: 'Activity' }, get: (visit) => activityPage(visit) },
  { ...{ path: `${BASE}/export.csv`, role: 'viewer', navigation: 'Activity' }, get: exportCsv },
  { ...{ path: `${BASE}/export.jsonl`, role: 'viewer', navigation: 'Activity' }, get: exportJsonLines },
  {
    ...{ path: `${BASE}/verify`, role: 'viewer', navigation: 'Activity' },
    post: async (visit) => {
      const verified = await verifyTrail(visit.gateway, visit.member.orgId, goneSignal(visit.ctx));
      if (verified.total > 0) return activityPage(visit, verified);
      return { seeOther: BASE, done: `Unbroken: ${verified.rows} ${verified.rows === 1 ? 'row' : 'rows'}.` };
    },
  },
];

async function activityPage(visit: Visit, broken?: VerifiedTrail): Promise<AppPage> {
  const { gateway, member, query } = visit;
  const { scope, read } = await filterActivity(visit);
  const list = { orgId: member.orgId, filter: scope };
  const cursor = query.get('page');
  const after = cursor === null ? undefined : cursors.read(gateway.tokens, list, cursor);
  const { items, next } = await read({ limit: PAGE.default, after });
  return {
    title: 'Activity',
    template: 'activity/activity',
    data: {
      broken: broken && { total: broken.total, problems: broken.problems.map(({ position, problem }) => sentenceOf(position, problem)) },
      exported: exportedOf(query),
      list: listView(visit, {
        ...{ name: 'Activity', plural: 'activity', about: 'Each call that a policy stops, each decision and each change adds a row.' },
        columns: ['Event', 'Who', 'Workspace', 'When', 'Row'],
        filters: ACTIVITY_FILTERS,
        rows: await activityRows(visit, items),
        nextPage: next ? cursors.write(gateway.tokens, list, next) : undefined,
      }),
    },
  };
}

function exportedOf(query: URLSearchParams): string {
  const kept = new URLSearchParams([...query].filter(([name, value]) => name !== 'page' && value !== ''));
  return kept.size === 0 ? '' : `?${kept}`;
}

function sentenceOf(position: number | null, problem: string): string {
  return position === null ? problem : `Row ${position}: ${problem}`;
}
