import { listWaitingOf } from '../../../../commands/approvals/waiting-of-member.ts';
import { readCatalogAhead } from '../../../../commands/catalogue/read-catalog-ahead.ts';
import { hasRole } from '../../../../domain/member.ts';
import { listActivity } from '../../../../store/activity-list.ts';
import { countCallsByTime, findAnyCall } from '../../../../store/call-counts.ts';
import { activityRows } from '../activity/activity-rows.ts';
import { describeRows, type InboxRow } from '../approvals/inbox-screen.ts';
import { sparkline } from '../pictures/sparkline.ts';
import type { Screen, Visit } from '../screen.ts';
import { readHealth } from './read-health.ts';

/** `/app`: shows waiting approvals, the health of the service, calls and recent activity. */
export const overviewScreen: Screen = {
  path: '/',
  role: 'viewer',
  navigation: 'Overview',
  get: async (visit) => {
    const [waiting, health, activity, calls] = await Promise.all([
      listMine(visit),
      readHealth(visit.gateway, visit.member.orgId, visit.outage),
      listNews(visit),
      drawCalls(visit),
    ]);
    const steps = calls === undefined ? firstSteps(visit) : [];
    // Later pages name every integration, so the files of the integrations are read ahead. If this
    // fails, those pages read the files themselves and show the error.
    readCatalogAhead(visit.gateway).catch(() => {});
    return { title: 'Overview', template: 'overview/overview', data: { waiting, health, activity, calls, steps } };
  },
};

const MOST = 5;

async function listMine(visit: Visit): Promise<InboxRow[]> {
  const { gateway, member, workspaceId } = visit;
  return describeRows(visit, await listWaitingOf(gateway, member, { workspaceId, limit: MOST }));
}

async function listNews(visit: Visit) {
  const { gateway, member, workspaceId } = visit;
  const workspaceIds = workspaceId === undefined ? undefined : [workspaceId];
  const { items } = await listActivity(gateway.db, { orgId: member.orgId, workspaceIds }, { limit: MOST });
  return activityRows(visit, items);
}

const HOURS = 24;
const HOUR_MS = 3_600_000;

async function drawCalls({ gateway: { db }, member: { orgId }, workspaceId }: Visit) {
  // The time range ends at a full minute, because times are shown without seconds.
  const to = new Date(Math.ceil(Date.now() / 60_000) * 60_000);
  const from = new Date(to.getTime() - HOURS * HOUR_MS);
  const asked = { orgId, workspaceId, from, parts: HOURS, secondsOfPart: HOUR_MS / 1000 };
  const counts = await countCallsByTime(db, asked);
  const isUsed = counts.some((count) => count > 0) || (await findAnyCall(db, orgId, workspaceId));
  return isUsed ? sparkline({ name: 'Calls in the last 24 hours', from, to, counts }) : undefined;
}

function firstSteps({ member }: Visit): { href: string; label: string; why: string }[] {
  if (!hasRole(member.role, 'admin')) {
    return [
      { href: '/integrations', label: 'See the integrations', why: 'What agents and backends can call.' },
      { href: '/servers', label: 'See the MCP servers', why: 'Where agents come in.' },
      { href: '/policies', label: 'Read the policies', why: 'Which calls ask a person first.' },
      { href: '/approvals', label: 'Open the approvals', why: 'What waits for a decision.' },
    ];
  }
  return [
    { href: '/integrations', label: 'Add an integration', why: 'It brings the actions that agents and backends call.' },
    { href: '/servers/new', label: 'Create an MCP server', why: 'Agents reach the actions through it.' },
    { href: '/policies/new', label: 'Write a policy', why: 'It says which calls ask a person first.' },
    { href: '/playground', label: 'Try an action', why: 'Run one here, and see what the policies do with it.' },
  ];
}
