import { z } from 'zod';
import { assertWorkspace } from '../../../domain/principal.ts';
import { listActivity } from '../../../store/activity-list.ts';
import { cursorsOf } from '../../cursor.ts';
import { type Route, route } from '../../route.ts';
import { presentActivity } from './present.ts';
import { activity, activityId, activityQuery } from './schema.ts';

const cursors = cursorsOf(activityId);

/** The audit trail (docs/audit.md). */
export const activityRoutes: Route[] = [
  route({
    tag: 'Activity',
    method: 'get',
    path: '/api/v1/activity',
    summary: 'List what happened at the gates, newest first',
    description:
      'Requests, decisions, uses, blocks, deliveries and changes of policies, each with who did it. A key of workspaces sees what happened in these; what concerns the whole organization needs an org-wide key. There is no total: the trail only grows, and counting it would cost more with every day.',
    query: activityQuery,
    answers: { 200: z.object({ activity: z.array(activity), nextCursor: z.string().nullable() }) },
    errors: ['SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId, limit, cursor, ...filter } }) => {
      const after = cursor === undefined ? undefined : cursors.read(cursor);
      if (workspaceId !== undefined) assertWorkspace(principal, workspaceId);
      const reached = principal.workspaceIds === 'all' ? undefined : principal.workspaceIds;
      const workspaceIds = workspaceId === undefined ? reached : [workspaceId];
      const { items, next } = await listActivity(gateway.db, { ...filter, orgId: principal.orgId, workspaceIds }, { limit, after });
      return { activity: items.map(presentActivity), nextCursor: next && cursors.write(next) };
    },
  }),
];
