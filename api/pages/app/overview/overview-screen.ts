import type { Gateway } from '../../../../commands/gateway.ts';
import { mayReview } from '../../../../domain/policies/approver-rules.ts';
import { listWaiting } from '../../../../store/approval-inbox.ts';
import { describeRows, type InboxRow } from '../approvals/inbox-screen.ts';
import type { Screen, Visit } from '../screen.ts';

/** `/app`: what waits and whether everything works. */
export const overviewScreen: Screen = {
  path: '/',
  role: 'viewer',
  navigation: 'Overview',
  get: async (visit) => {
    const [waiting, health] = await Promise.all([listMine(visit), readHealth(visit.gateway)]);
    return { title: 'Overview', template: 'overview/overview', data: { waiting, health } };
  },
};

const MOST = 5;
/** Waiting approvals that are looked through for those of the member. */
const LOOKED_THROUGH = 200;

/** The oldest approvals that wait for the member. */
async function listMine(visit: Visit): Promise<InboxRow[]> {
  const { gateway, member } = visit;
  if (member.role === 'viewer') return [];
  const waiting = await listWaiting(gateway.db, member.orgId, LOOKED_THROUGH);
  return describeRows(visit, waiting.filter((approval) => mayReview(approval, member)).slice(0, MOST));
}

/** A part of the service in words. */
interface Health {
  name: string;
  state: string;
  tone: 'good' | 'bad';
}

async function readHealth({ orchestrator }: Gateway): Promise<Health[]> {
  const isThere = await orchestrator.ping().then(
    () => true,
    () => false,
  );
  return [
    { name: 'Database', state: 'Works', tone: 'good' },
    isThere
      ? { name: 'Temporal', state: 'Works', tone: 'good' }
      : { name: 'Temporal', state: 'Not reachable. Decisions are kept and arrive later.', tone: 'bad' },
  ];
}
