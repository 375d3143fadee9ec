import type { ListedActivity } from '../../../../store/activity-list.ts';
import { listActorNames } from '../../../../store/actor-names.ts';
import { type Cell, timeCell } from '../list.ts';
import type { Visit } from '../screen.ts';
import { namesOfWorkspaces } from '../workspace-names.ts';
import { describeActor, describeSubject, EVENTS, pageOfSubject } from './describe-activity.ts';

/** Activity as table cells: event, who, workspace, when, row number. */
export async function activityRows(visit: Visit, items: readonly ListedActivity[]): Promise<[Cell, string, string, Cell, string][]> {
  const { gateway, member } = visit;
  const actors = items.map(({ actorType: type, actorId: id }) => ({ type, id }));
  const places = items.map(({ workspaceId }) => workspaceId);
  const [names, workspaces] = await Promise.all([listActorNames(gateway.db, member.orgId, actors), namesOfWorkspaces(visit, places)]);
  return items.map((row) => {
    const [text, hint, href] = [EVENTS[row.type] ?? row.type, describeSubject(row), pageOfSubject(row, member)];
    return [
      href === undefined ? { text, hint } : { href, text, hint },
      describeActor(row, names),
      row.workspaceId === null ? '–' : (workspaces.get(row.workspaceId) ?? 'deleted'),
      timeCell(new Date(row.createdAt)),
      row.position === null ? '–' : String(row.position),
    ];
  });
}
