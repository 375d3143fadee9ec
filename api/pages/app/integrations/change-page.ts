import { type ChangeView, getChange } from '../../../../commands/integrations/get-change.ts';
import { changeDigest } from '../../../../commands/integrations/shown-change.ts';
import type { ChangedField, CustomChange } from '../../../../domain/custom-integrations/custom-integration.ts';
import { DECISION_REASON_MAX_LENGTH, PAGE } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { nameOfPerson } from '../../../../domain/person.ts';
import { findMember } from '../../../../store/memberships.ts';
import { notFound } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import { type Cell, timeCell } from '../list.ts';
import type { AppPage, Visit } from '../screen.ts';
import { INTEGRATIONS } from './integration-words.ts';
import { readOwn } from './own-of.ts';

/** The id of the change in the path. Throws NOT_FOUND for a malformed id. */
export function changeId({ params }: Visit): string {
  const id = uuid.safeParse(params.id);
  if (!id.success) throw notFound();
  return id.data;
}

const NAMES: Record<CustomChange['kind'], (action: string) => string> = {
  action_added: (action) => `New action ${action}`,
  action_changed: (action) => `Changed action ${action}`,
  action_removed: (action) => `Removed action ${action}`,
  auth_changed: () => 'Other accounts',
  server_changed: () => 'Other server',
};

const EFFECTS: Record<CustomChange['kind'], string> = {
  action_added: 'If you accept it, agents can call the action. Until then, the action does not exist.',
  action_changed: 'If you accept it, calls run the new version immediately. Approvals of the old version no longer count.',
  action_removed: 'If you accept it, the action is deleted. Until then, calls of the action fail.',
  auth_changed: 'If you accept it, accounts are connected in the new way. Some may have to be connected again.',
  server_changed: 'If you accept it, calls go to the new address, with the credentials of the accounts.',
};

/** The title of a change. */
export function nameOf({ kind, actionName }: Pick<CustomChange, 'kind' | 'actionName'>): string {
  return NAMES[kind](actionName ?? '');
}

/** The cell for each status of a change. */
export const CHANGE_STATES: Record<CustomChange['status'], Cell> = {
  pending: { state: 'Waiting', tone: 'waiting' },
  accepted: { state: 'Accepted', tone: 'good' },
  rejected: { state: 'Rejected', tone: 'bad' },
  superseded: { state: 'Replaced', tone: 'quiet' },
};

/** A page of the differences of a change, with a form for members who may decide the change. */
export async function changePage(visit: Visit, attempt?: { problem: string; status: number; typed: string }): Promise<AppPage> {
  const { gateway, member, query } = visit;
  const { record } = await readOwn(visit);
  const page = { limit: PAGE.default, offset: /^\d{1,9}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 0 };
  const own = { orgId: member.orgId, name: record.name, customId: record.id };
  const view = await getChange(gateway, own, changeId(visit), page);
  const fields = JSON.parse(view.fields) as ChangedField[];
  const title = nameOf(view.change);
  const last = page.offset + fields.length;
  return {
    ...{ status: attempt?.status ?? 200, title, template: 'integrations/change' },
    data: {
      ...{
        title,
        problem: attempt?.problem,
        typed: attempt?.typed ?? '',
        base: `${INTEGRATIONS}/${record.name}/changes`,
        id: view.change.id,
        effect: EFFECTS[view.change.kind],
      },
      fields: fields.map(showField),
      shown: { from: page.offset + 1, to: last, total: view.total },
      // A page of long values has fewer fields, so the next page begins after the last shown field.
      nextPage: last < view.total ? last : undefined,
      digest: changeDigest(view.change, view.record.head),
      isWaiting: view.change.status === 'pending',
      mayDecide: hasRole(member.role, 'admin'),
      decided: await decisionOf(visit, view),
      ...{
        detectedAt: timeCell(view.change.detectedAt),
        state: CHANGE_STATES[view.change.status],
        reasonMaxLength: DECISION_REASON_MAX_LENGTH,
      },
    },
  };
}

function showField({ path, before, after, absent, cut }: ChangedField) {
  const show = (value: unknown, side: 'before' | 'after') => {
    if (value === null) return before === null && after === null && absent !== side ? 'null' : undefined;
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  };
  return { path, before: show(before, 'before'), after: show(after, 'after'), cut };
}

/** Undefined while the change waits. */
async function decisionOf({ gateway, member }: Visit, { change: { status, decidedAt, decidedById, reason } }: ChangeView) {
  if (decidedAt === null || status === 'superseded') return undefined;
  const id = uuid.safeParse(decidedById);
  const person = id.success ? await findMember(gateway.db, member.orgId, id.data) : undefined;
  return { at: timeCell(decidedAt), by: person ? nameOfPerson(person) : 'the API', reason };
}
