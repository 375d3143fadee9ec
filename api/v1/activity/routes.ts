import { z } from 'zod';
import { assertWorkspace } from '../../../domain/principal.ts';
import { listActivity } from '../../../store/activity-list.ts';
import { cursorsOf } from '../../cursor.ts';
import { type Route, route } from '../../route.ts';
import { presentActivity } from './present.ts';
import { activity, activityId, activityQuery } from './schema.ts';

const cursors = cursorsOf('activity', activityId);

/** The audit log (docs/audit.md). */
export const activityRoutes: Route[] = [
  route({
    tag: 'Activity',
    method: 'get',
    isCompressible: true,
    path: '/api/v1/activity',
    summary: 'List the audit log, newest first',
    description:
      'Requests, decisions, uses, blocks and deliveries, and changes of policies, members, keys, servers, workspaces, accounts, end users and other settings, each with its actor. A workspace key reads the entries of its workspaces. Entries of the whole organization need an org-wide key. There is no total, because counting a log that only grows gets ever slower.',
    query: activityQuery,
    answers: { 200: z.object({ activity: z.array(activity), nextCursor: z.string().nullable() }) },
    errors: ['SCOPE_DENIED'],
    handle: async ({ gateway, principal, query: { workspaceId, limit, cursor, ...filter } }) => {
      const list = { orgId: principal.orgId, filter: { workspaceId, ...filter } };
      const after = cursor === undefined ? undefined : cursors.read(gateway.tokens, list, cursor);
      if (workspaceId !== undefined) assertWorkspace(principal, workspaceId);
      const reached = principal.workspaceIds === 'all' ? undefined : principal.workspaceIds;
      const workspaceIds = workspaceId === undefined ? reached : [workspaceId];
      const { items, next } = await listActivity(gateway.db, { ...filter, orgId: principal.orgId, workspaceIds }, { limit, after });
      return { activity: items.map(presentActivity), nextCursor: next && cursors.write(gateway.tokens, list, next) };
    },
  }),
];
