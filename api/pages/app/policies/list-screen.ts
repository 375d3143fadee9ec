import { hasRole } from '../../../../domain/member.ts';
import { POLICY_DECISIONS, POLICY_MODES, type Policy } from '../../../../domain/policies/policy.ts';
import { breathe } from '../../../../infra/event-loop/breathe.ts';
import { countCoverage, countPolicyUse } from '../../../../store/policy-use.ts';
import { type Cell, type Filter, listView, nextPageOf, pageOf, readFilter } from '../list.ts';
import { coverage } from '../pictures/coverage.ts';
import { SPARKLINE_BARS, sparkline } from '../pictures/sparkline.ts';
import type { Screen, Visit } from '../screen.ts';
import { namesOfWorkspaces } from '../workspace-names.ts';
import { plainWarnings } from './plain-warnings.ts';
import { BASE } from './policy-of-path.ts';
import { DECISION_NAMES, describeScope } from './policy-words.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const NAME: Filter = { label: 'Policy' };
const DECISION: Filter = {
  label: 'Decision',
  options: [{ value: '', label: 'Any' }, ...POLICY_DECISIONS.map((value) => ({ value, label: DECISION_NAMES[value] }))],
};
const MODE_NAMES = { enforce: 'Enforce', shadow: 'Shadow' } as const;
const MODE: Filter = {
  label: 'Mode',
  options: [{ value: '', label: 'Any' }, ...POLICY_MODES.map((value) => ({ value, label: MODE_NAMES[value] }))],
};

/** `/app/policies`: all policies, in the order in which they are checked. */
export const policyListScreen: Screen = {
  path: BASE,
  role: 'viewer',
  navigation: 'Policies',
  get: async (visit) => {
    const { gateway, member, workspaceId, query } = visit;
    const all = await gateway.policyLists.of(member);
    const applying = all.filter((policy) => (workspaceId ?? policy.workspaceId) === policy.workspaceId || policy.workspaceId === null);
    const wanted = applying.filter(isWanted(query));
    const page = pageOf(query);
    const shown = wanted.slice(page.offset, page.offset + page.limit);
    const to = new Date();
    const week = { orgId: member.orgId, workspaceId, from: new Date(to.getTime() - 7 * DAY_MS), to };
    const byMode = (mode: Policy['mode']) => shown.filter((policy) => policy.mode === mode).map(({ id }) => id);
    const places = shown.map((policy) => policy.workspaceId);
    const [uses, covered, warnings, workspaces] = await Promise.all([
      countPolicyUse(gateway.db, week, { enforced: byMode('enforce'), shadow: byMode('shadow') }, SPARKLINE_BARS),
      countCoverage(gateway.db, week),
      warningsOf(visit, shown, { all, applying }),
      namesOfWorkspaces(visit, places),
    ]);
    const mayManage = hasRole(member.role, 'admin');
    const pictures = shown.map(({ id }) => {
      const counts = Array.from({ length: SPARKLINE_BARS }, () => 0);
      for (const { policyId, part, calls } of uses) if (policyId === id) counts[part] = (counts[part] ?? 0) + calls;
      return sparkline({ name: 'Calls in the last 7 days', from: week.from, to, counts });
    });
    const list = listView(visit, {
      ...{ name: 'Policies', plural: 'policies', about: 'A policy decides which calls wait for a person, are blocked or go through.' },
      columns: ['Policy', 'Decision', 'Applies to', 'Priority', 'Last 7 days', ...(mayManage ? ['Actions'] : [])],
      filters: [NAME, DECISION, MODE],
      rows: shown.map((policy, place): Cell[] => {
        const cells: Cell[] = [
          { href: `${BASE}/${policy.id}`, text: policy.name, hint: warnings.get(policy.id) ?? '' },
          decisionOf(policy),
          describeScope(policy, workspaces),
          String(policy.priority),
          { picture: pictures[place]! },
        ];
        return mayManage ? [...cells, { buttons: buttonsOf(policy) }] : cells;
      }),
      create: mayManage ? { href: `${BASE}/new`, label: 'New policy' } : undefined,
      nextPage: nextPageOf(page, wanted.length),
    });
    const table = {
      summary: 'Last 7 days, as a table',
      columns: ['Policy', 'From', 'Calls'],
      rows: shown.flatMap(({ name }, place) => pictures[place]!.table.rows.map((row) => [name, ...row])),
      rest: '0 at all other times.',
    };
    const data = { list, table: shown.length > 0 ? table : undefined, coverage: applying.length > 0 ? coverage(covered) : undefined };
    return { title: 'Policies', template: 'policies/policies', data };
  },
};

function isWanted(query: URLSearchParams): (policy: Policy) => boolean {
  const [name, decision, mode] = [NAME, DECISION, MODE].map((filter) => readFilter(query, filter));
  return (policy) =>
    policy.name.toLowerCase().includes(name!.toLowerCase()) &&
    (decision === '' || policy.decision === decision) &&
    (mode === '' || policy.mode === mode);
}

/** Cached warnings by `<policy id>/<selected workspace id>`. */
const warned = new WeakMap<readonly Policy[], Map<string, string>>();

/**
 * Comparing a policy with all others takes time, so this caches the result and can yield to the
 * event loop.
 */
async function warningsOf(
  { workspaceId = '' }: Visit,
  shown: readonly Policy[],
  { all, applying }: { all: readonly Policy[]; applying: readonly Policy[] },
): Promise<Map<string, string>> {
  const known = warned.get(all) ?? new Map<string, string>();
  warned.set(all, known);
  const found = new Map<string, string>();
  for (const policy of shown.filter(({ enabled }) => enabled)) {
    const key = `${policy.id}/${workspaceId}`;
    const warning = known.get(key) ?? plainWarnings(policy, applying).filter(isUrgent).join(' ');
    known.set(key, warning);
    found.set(policy.id, warning);
    await breathe();
  }
  return found;
}

/** Whether the list shows a warning. The page of a policy shows all warnings. */
function isUrgent(warning: string): boolean {
  return /^(Never reached|Shadowed|Self-approvable):/.test(warning);
}

function decisionOf({ decision, enabled, mode }: Policy): Cell {
  const text = DECISION_NAMES[decision];
  if (!enabled) return { text, hint: 'Off' };
  return mode === 'shadow' ? { text, hint: 'Shadow: it only watches' } : text;
}

function buttonsOf({ id, name, enabled }: Policy) {
  const turn = enabled ? 'Turn off' : 'Turn on';
  return [{ label: turn, name: `${turn} ${name}`, action: `${BASE}/${id}/turn-${enabled ? 'off' : 'on'}` }];
}
