import { aboutCall, clearedActivity, type NewActivity } from '../../domain/activity.ts';
import type { Call } from '../../domain/call.ts';
import type { Outbound } from '../../domain/outbound.ts';
import { type FoundHosts, findHosts } from '../../domain/policies/find-hosts.ts';
import type { ActionCategory, Policy } from '../../domain/policies/policy.ts';
import { WorkBudget } from '../../domain/policies/work-budget.ts';
import { fetchCategories } from '../../integrations/builtin/http/request-categories.ts';
import { ActionError } from '../../integrations/definition.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { matchByLatest } from '../policies/match-call.ts';
import { hashCall } from './hash-call.ts';

/**
 * The HTTP client for an admitted call. The policies judge each redirect to another host or to a
 * further category.
 */
export function judgeRedirects(gateway: Gateway, call: Call): Outbound {
  const { outbound, policies } = gateway;
  const judge = async (url: URL, isOtherHost: boolean) => {
    const { orgId, workspaceId } = call;
    const categories = categoriesAt(call, url);
    if (!isOtherHost && categories.length === 1 + (call.otherCategories?.length ?? 0)) return;
    const current = await policies.of({ orgId, workspaceId });
    const decide = (judged: Call) => matchByLatest(gateway, current, judged, hashCall(judged));
    const [category = null, ...otherCategories] = categories;
    const input = { ...(isOtherHost ? withoutHosts(call.input) : call.input), redirectedTo: url.href };
    const { match, cleared } = await decide({ ...call, category, otherCategories, input });
    const policy = match?.policy;
    if (policy?.decision !== 'block' && policy?.decision !== 'require_approval')
      return recordActivity(gateway.db, ...cleared.map((one) => clearedActivity(one, call, null, { redirectedTo: url.host })));
    // A policy with `require_approval` does not stop the redirect if it admitted this call. A
    // blocking policy cannot have admitted the call.
    const admittedBy = policy.decision === 'require_approval' ? (await decide(call)).match?.policy.id : undefined;
    if (policy.id === admittedBy) return;
    await recordActivity(gateway.db, blocked(call, policy, url));
    throw refused(policy, url);
  };
  return {
    ...outbound,
    request: (request) => outbound.request({ ...request, beforeRedirect: judge }),
    stream: (request) => outbound.stream({ ...request, beforeRedirect: judge }),
  };
}

/** A redirect can lead from a read to a write. */
function categoriesAt({ category, otherCategories = [] }: Call, url: URL): ActionCategory[] {
  const before = category === null ? [] : [category, ...otherCategories];
  return [...new Set([...fetchCategories([url.href]).filter((one) => one !== 'read'), ...before])];
}

/** A policy that trusts the requested host must not thereby trust the new host. */
function withoutHosts(input: object, work = new WorkBudget()): Record<string, unknown> {
  const entries = Object.entries(input).filter(([key]) => !namesHost(key, work));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutHost(value, work)]));
}

function withoutHost(value: unknown, work: WorkBudget): unknown {
  if (typeof value === 'string') return namesHost(value, work) ? '' : value;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map((item) => withoutHost(item, work)) : withoutHosts(value, work);
}

/** Whether a text names a host. A text beyond the work budget counts as naming one. */
function namesHost(text: string, work: WorkBudget): boolean {
  const found: FoundHosts = { hosts: new Set(), isDisguised: false };
  return !findHosts(text, found, work) || found.hosts.size > 0;
}

/** The event contains only the host, because the rest of the address can contain secrets. */
function blocked(call: Call, { id: policyId, version: policyVersion, name: policyName, decision }: Policy, { host }: URL): NewActivity {
  const details = { policyName, decision, redirectedTo: host, source: call.source };
  return { ...aboutCall(call), type: 'call.blocked', policyId, policyVersion, details };
}

function refused({ id, name, decision }: Policy, { host, href }: URL): ActionError {
  const verdict = decision === 'block' ? 'blocks calls to it' : 'asks for an approval that this call does not have';
  return new ActionError(
    `The redirect to ${host} was not followed: the policy "${name}" ${verdict}. Call the final address directly; the policy then judges that call.`,
    { reason: 'redirect_refused', policyId: id, location: href },
  );
}
