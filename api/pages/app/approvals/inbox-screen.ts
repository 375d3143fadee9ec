import type { Approval } from '../../../../domain/approval.ts';
import { hasRole } from '../../../../domain/member.ts';
import { mayReview } from '../../../../domain/policies/approver-rules.ts';
import { SOURCES } from '../../../../domain/policies/policy.ts';
import type { Catalog } from '../../../../integrations/catalog.ts';
import { type ApprovalNames, listApprovalNames, listApprovalsWithIds } from '../../../../store/approval-inbox.ts';
import { listApprovals } from '../../../../store/approval-list.ts';
import { cursorsOf } from '../../../cursor.ts';
import { approvalId } from '../../../v1/approvals/schema.ts';
import { isPlan } from '../../approval/describe-call.ts';
import { showDuration } from '../../layout/show-time.ts';
import { integrationNames } from '../integrations/integration-names.ts';
import { type Cell, type Filter, type ListSpec, listView, readFilter } from '../list.ts';
import { SOURCE_NAMES } from '../policies/policy-words.ts';
import type { Screen, Visit } from '../screen.ts';
import { approvalIds } from './approval-screens.ts';
import { previewOf } from './preview.ts';

const STATUS: Filter = {
  label: 'Status',
  options: [
    { value: 'pending', label: 'Waiting' },
    { value: 'approved', label: 'Approved' },
    { value: 'consumed', label: 'Used' },
    { value: 'rejected', label: 'Rejected' },
    { value: 'expired', label: 'Expired' },
    { value: 'canceled', label: 'Withdrawn' },
    { value: 'all', label: 'All' },
  ],
};
const SOURCE: Filter = {
  label: 'Source',
  options: [{ value: '', label: 'Any' }, ...SOURCES.map((value) => ({ value, label: SOURCE_NAMES[value] }))],
};

/** A bulk decision accepts the same number (`bulk-screen.ts`). */
const PAGE_SIZE = 50;
const cursors = cursorsOf('approvals of the dashboard', approvalId);

/** `/app/approvals`: the approvals, by default only those that wait for a decision. */
export const inboxScreen: Screen = {
  path: '/approvals',
  role: 'viewer',
  navigation: 'Approvals',
  get: async (visit) => {
    const { gateway, member, query, workspaceId } = visit;
    const integration = await integrationFilter(visit);
    const [status, source, integrationName] = [STATUS, SOURCE, integration].map((filter) => readFilter(query, filter));
    const filter = {
      ...{ workspaceIds: workspaceId === undefined ? undefined : [workspaceId] },
      ...{ status: status === 'all' ? undefined : status, source: source || undefined, integrationName: integrationName || undefined },
    };
    const scope = { orgId: member.orgId, filter };
    const cursor = query.get('page');
    const after = cursor === null ? undefined : cursors.read(gateway.tokens, scope, cursor);
    const { workspaceIds, ...rest } = filter;
    const found = await listApprovals(
      gateway.db,
      { orgId: member.orgId, ...rest, ...(workspaceIds && { workspaceIds }) },
      { limit: PAGE_SIZE, after, isCounted: false },
    );
    const approvals = await withKept(visit, found.items);
    const current = approvals.find(({ id }) => id === query.get('current')) ?? approvals[0];
    const [rows, preview] = await Promise.all([describeRows(visit, approvals), current && previewOf(visit, current.id)]);
    const empty = approvals.length === 0 ? await emptyInbox(visit) : undefined;
    const list = listView(visit, {
      ...{ empty, name: 'Approvals', plural: 'approvals', about: 'An approval appears here when a policy asks a person.' },
      columns: ['Request', 'Workspace', 'Asked by', 'Waiting', 'Time left'],
      filters: [STATUS, integration, SOURCE],
      rows: rows.map(({ cells }) => cells),
      selectable: { form: 'bulk', name: 'id', rows: rows.map(({ selection }) => selection) },
      current: current && approvals.indexOf(current),
      live: { topic: 'approvals', one: 'request', many: 'requests' },
      nextPage: found.next ? cursors.write(gateway.tokens, scope, found.next) : undefined,
    });
    return {
      title: 'Approvals',
      template: 'approvals/inbox',
      data: { list, preview, maySelect: hasRole(member.role, 'member') },
    };
  },
};

/** What an empty list says: it links to all approvals, or to a new policy if there are none. */
async function emptyInbox({ gateway, member }: Visit): Promise<ListSpec['empty']> {
  const { items } = await listApprovals(gateway.db, { orgId: member.orgId }, { limit: 1, after: undefined, isCounted: false });
  if (items.length > 0)
    return { sentence: 'Nothing waits for a decision.', link: { href: '/approvals?status=all', label: 'All approvals' } };
  return hasRole(member.role, 'admin') ? { link: { href: '/policies/new', label: 'New policy' } } : undefined;
}

/** Keeps an integration that the URL names, even if it no longer exists. */
async function integrationFilter(visit: Visit): Promise<Filter> {
  const label = 'Integration';
  const names = await integrationNames(visit);
  const asked = readFilter(visit.query, { label });
  if (asked !== '' && !names.has(asked)) names.set(asked, asked);
  return { label, options: [{ value: '', label: 'Any' }, ...[...names].map(([value, name]) => ({ value, label: name }))] };
}

/** A refresh keeps the selected and the focused approvals of an open page. */
async function withKept({ gateway, member, query }: Visit, approvals: readonly Approval[]): Promise<Approval[]> {
  const asked = approvalIds.safeParse(query.getAll('keep').slice(0, 2 * PAGE_SIZE)).data ?? [];
  const missing = asked.filter((id) => !approvals.some((approval) => approval.id === id));
  const kept = await listApprovalsWithIds(gateway.db, member.orgId, missing);
  return [...approvals, ...kept].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
}

/** An approval as a row of the inbox. */
export interface InboxRow {
  id: string;
  /** The request, worded like the heading of the approval's page. */
  request: string;
  cells: Cell[];
  /** Undefined if a bulk decision cannot include the approval. */
  selection: { value: string; label: string } | undefined;
}

/** Describes approvals as rows of the inbox. */
export async function describeRows({ gateway, member }: Visit, approvals: readonly Approval[]): Promise<InboxRow[]> {
  const [names, catalog] = await Promise.all([
    listApprovalNames(
      gateway.db,
      approvals.map(({ id }) => id),
    ),
    gateway.catalog.of(member.orgId, [...new Set(approvals.map(({ integrationName }) => integrationName))]),
  ]);
  const byId = new Map(names.map((named) => [named.id, named]));
  return approvals.map((approval) => {
    const request = requestOf(catalog, approval);
    const isWaiting = approval.status === 'pending' && approval.expiresAt > new Date();
    const mayDecide = isWaiting && mayReview(approval, member) && !isPlan(approval);
    return {
      ...{ id: approval.id, request, cells: cellsOf(approval, request, byId.get(approval.id)) },
      selection: mayDecide ? { value: approval.id, label: `Select ${request}, ${approval.id}` } : undefined,
    };
  });
}

function requestOf(catalog: Catalog, approval: Approval): string {
  if (isPlan(approval)) return 'Run a program';
  return catalog.find(approval.integrationName)?.actions.get(approval.actionName)?.displayName ?? approval.actionName;
}

function cellsOf(approval: Approval, request: string, names: ApprovalNames | undefined): Cell[] {
  const { id, integrationAlias, integrationName, actionName, createdAt, expiresAt } = approval;
  const hint = isPlan(approval) ? id : `${integrationAlias ?? integrationName}.${actionName}`;
  const now = Date.now();
  return [
    { href: `/approvals/${id}`, text: request, hint },
    names?.workspaceName ?? 'deleted',
    askerOf(approval, names),
    approval.status === 'pending' ? showDuration(now - createdAt.getTime()) : '–',
    stateOf(approval, expiresAt.getTime() - now),
  ];
}

function askerOf({ requestedByType, mcpServerId }: Approval, names: ApprovalNames | undefined): string {
  if (requestedByType === 'api_key') return names?.keyName ?? 'A deleted key';
  if (requestedByType === 'user') return names?.memberName ?? 'A former member';
  return mcpServerId === null ? 'The service' : `An agent through ${names?.serverName ?? 'a deleted server'}`;
}

function stateOf(approval: Approval, leftMs: number): Cell {
  if (approval.status !== 'pending') return approvalState(approval);
  return leftMs > 0 ? showDuration(leftMs) : { state: 'Time is up', tone: 'quiet' };
}

/** The cell with the shown status of an approval. */
export function approvalState({ status, decidedByType }: Approval): Cell {
  if (decidedByType === 'timeout') return { state: 'Expired', tone: 'quiet' };
  const state = STATUS.options!.find(({ value }) => value === status)!.label;
  return { state, tone: TONES[status] ?? 'quiet' };
}

const TONES: Partial<Record<Approval['status'], 'good' | 'bad' | 'waiting'>> = {
  ...{ pending: 'waiting', approved: 'good', consumed: 'good', rejected: 'bad' },
};
