import { decideChange } from '../../../../commands/integrations/decide-change.ts';
import type { CustomChange } from '../../../../domain/custom-integrations/custom-integration.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { DECISION_REASON_MAX_LENGTH } from '../../../../domain/limits.ts';
import { pageChanges } from '../../../../store/custom-changes.ts';
import { type Cell, type Filter, listView, nextPageOf, pageOf, readFilter, timeCell } from '../list.ts';
import type { Screen } from '../screen.ts';
import { CHANGE_STATES, changeId, changePage, nameOf } from './change-page.ts';
import { INTEGRATIONS } from './integration-words.ts';
import { getOwn, readOwn } from './own-of.ts';

const STATUS: Filter = {
  label: 'Status',
  options: [
    { value: 'pending', label: 'Waiting' },
    { value: 'accepted', label: 'Accepted' },
    { value: 'rejected', label: 'Rejected' },
    { value: 'superseded', label: 'Replaced by a newer one' },
    { value: 'all', label: 'All' },
  ],
};

/** Screens that list, show and decide the changes of a custom integration. */
export const changeScreens: readonly Screen[] = [
  {
    ...{ path: `${INTEGRATIONS}/{name}/changes`, role: 'viewer', navigation: 'Integrations' },
    get: async (visit) => {
      const { record, entry } = await readOwn(visit);
      const page = pageOf(visit.query);
      const status = readFilter(visit.query, STATUS) as CustomChange['status'] | 'all';
      const { items, total } = await pageChanges(visit.gateway.db, record.id, status === 'all' ? undefined : status, page);
      const title = `Changes of ${entry.displayName}`;
      const list = listView(visit, {
        ...{
          name: title,
          plural: 'changes',
          about: 'When we read the integration again, differences wait here for a decision.',
          filters: [STATUS],
        },
        columns: ['Change', 'Differences', 'Found', 'Status'],
        rows: items.map((change) => rowOf(record.name, change)),
        nextPage: nextPageOf(page, total),
      });
      return { title, template: 'layout/list-page', data: { title, list } };
    },
  },
  {
    ...{ path: `${INTEGRATIONS}/{name}/changes/{id}`, role: 'viewer', navigation: 'Integrations' },
    get: (visit) => changePage(visit),
  },
  {
    ...{ path: `${INTEGRATIONS}/{name}/changes/{id}/decide`, role: 'admin', navigation: 'Integrations' },
    get: async (visit) => ({ seeOther: `${INTEGRATIONS}/${(await readOwn(visit)).record.name}/changes/${changeId(visit)}` }),
    post: async (visit) => {
      const record = await getOwn(visit, { decides: true });
      const { form } = visit;
      const decision = readDecision(form.get('decision'));
      const reason = (form.get('reason') ?? '').trim();
      const again = (problem: string, status: number) => changePage(visit, { problem, status, typed: reason });
      if (reason.length > DECISION_REASON_MAX_LENGTH)
        return again(`The reason has more than ${DECISION_REASON_MAX_LENGTH} characters.`, 400);
      // The digest proves that the member accepts the change as the page showed it. An empty digest
      // matches no change, so a form without a digest is refused.
      const digest = decision === 'accepted' ? (form.get('digest') ?? '') : undefined;
      try {
        const decided = { id: changeId(visit), decision, by: visit.principal, ...(reason !== '' && { reason }), digest };
        const { change } = await decideChange(visit.gateway, record, decided);
        return { seeOther: `${INTEGRATIONS}/${record.name}/changes`, done: `${nameOf(change)}: ${decision}.` };
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status !== 409) throw error;
        return again(error.code === 'CHANGE_ALREADY_DECIDED' ? 'Somebody else decided first.' : error.message, 409);
      }
    },
  },
];

function readDecision(value: string | null): 'accepted' | 'rejected' {
  if (value === 'accept') return 'accepted';
  if (value === 'reject') return 'rejected';
  throw new GatewayError('VALIDATION_ERROR', 'Choose Accept or Reject.');
}

function rowOf(name: string, change: CustomChange): Cell[] {
  const { id, fieldCount, detectedAt, status } = change;
  const href = `${INTEGRATIONS}/${name}/changes/${id}`;
  return [{ href, text: nameOf(change) }, fieldCount.toLocaleString('en'), timeCell(detectedAt), CHANGE_STATES[status]];
}
