import { ACTIVITY_TYPES, type ActivityType } from '../../../../domain/activity.ts';
import {
  type ActivityFilter,
  type ActivityPage,
  type ActivitySearch,
  listActivity,
  listMatchingActivity,
} from '../../../../store/activity-list.ts';
import { listActorIds } from '../../../../store/actor-names.ts';
import { endOfDay, startOfDay } from '../days.ts';
import { type Filter, readFilter } from '../list.ts';
import type { Visit } from '../screen.ts';
import { ACTORS, EVENTS } from './describe-activity.ts';

const TYPE: Filter = {
  label: 'Type',
  options: [{ value: '', label: 'Any' }, ...ACTIVITY_TYPES.map((value) => ({ value, label: EVENTS[value] }))],
};
const WHO: Filter = { label: 'Who' };
const FROM: Filter = { label: 'From', kind: 'date' };
const TO: Filter = { label: 'To', kind: 'date' };
const TEXT: Filter = { label: 'Text' };

/** The filters in their order on the page. */
export const ACTIVITY_FILTERS: readonly Filter[] = [TYPE, WHO, FROM, TO, TEXT];

const MAX_LENGTH = 200;
const MAX_ACTORS = 1000;

/** Reads the activity that the filters of a URL select, page by page. */
export interface FilteredActivity {
  scope: Record<string, string | undefined>;
  read(page: ActivityPage): ReturnType<typeof listActivity>;
}

/** Reads the filters of the URL. The whole day of "To" is included. */
export async function filterActivity({ gateway, member, query, workspaceId }: Visit): Promise<FilteredActivity> {
  const { db } = gateway;
  const { orgId } = member;
  const [type = '', who = '', from = '', to = '', text = ''] = ACTIVITY_FILTERS.map((one) => withoutNul(readFilter(query, one)));
  const filter: ActivityFilter = {
    orgId,
    workspaceIds: workspaceId === undefined ? undefined : [workspaceId],
    type: type === '' ? undefined : (type as ActivityType),
    from: from === '' ? undefined : startOfDay(from).toISOString(),
    to: to === '' ? undefined : endOfDay(to).toISOString(),
  };
  const search: ActivitySearch = {
    text: text === '' ? undefined : text,
    actors: who === '' ? undefined : { ids: await listActorIds(db, orgId, who, MAX_ACTORS), types: typesOf(who), text: who },
  };
  const isSearched = search.text !== undefined || search.actors !== undefined;
  return {
    scope: { workspaceId, type, who, from, to, text },
    read: (page) => (isSearched ? listMatchingActivity(db, filter, search, page) : listActivity(db, filter, page)),
  };
}

function typesOf(who: string): string[] {
  return Object.entries(ACTORS).flatMap(([type, name]) => (name.toLowerCase().includes(who.toLowerCase()) ? type : []));
}

/** Postgres cannot store NUL in a text. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '').slice(0, MAX_LENGTH);
}
