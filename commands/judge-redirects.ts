import { aboutCall, clearedActivity, type NewActivity } from '../domain/activity.ts';
import type { Call } from '../domain/call.ts';
import { findHosts } from '../domain/find-hosts.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { Policy } from '../domain/policy.ts';
import { ActionError } from '../integrations/definition.ts';
import type { Gateway } from './gateway.ts';
import { hashCall } from './hash-call.ts';
import { matchByLatest } from './match-call.ts';
import { recordActivity } from './record-activity.ts';

/**
 * The guarded client for the action of an admitted call: a redirect to another host is followed only where the policies would let the call
 * be made to that address, or where the policy that stops it is the one that admitted the call. Else the request ends with ACTION_FAILED,
 * naming the policy. Asks nothing where there is no such redirect.
 */
export function judgeRedirects(gateway: Gateway, call: Call): Outbound {
  const { outbound, policies } = gateway;
  const judge = async (url: URL) => {
    const { orgId, workspaceId } = call;
    const current = await policies.of({ orgId, workspaceId });
    const decide = (judged: Call) => matchByLatest(gateway, current, judged, hashCall(judged));
    const { match, cleared } = await decide({ ...call, input: { ...withoutHosts(call.input), redirectedTo: url.href } });
    const policy = match?.policy;
    if (policy?.decision !== 'block' && policy?.decision !== 'require_approval')
      return recordActivity(gateway.db, ...cleared.map((one) => clearedActivity(one, call, null, { redirectedTo: url.host })));
    // No call is ever admitted by a policy that blocks.
    const admittedBy = policy.decision === 'require_approval' ? (await decide(call)).match?.policy.id : undefined;
    if (policy.id === admittedBy) return;
    await recordActivity(gateway.db, blocked(call, policy, url));
    throw refused(policy, url);
  };
  return { ...outbound, request: (request) => outbound.request({ ...request, beforeRedirect: judge }) };
}

/** A policy that trusts the address which was asked must not thereby trust where it leads. */
function withoutHosts(input: object): Record<string, unknown> {
  const entries = Object.entries(input).filter(([key]) => !namesHost(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutHost(value)]));
}

function withoutHost(value: unknown): unknown {
  if (typeof value === 'string') return namesHost(value) ? '' : value;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(withoutHost) : withoutHosts(value);
}

function namesHost(text: string): boolean {
  const found = new Set<string>();
  findHosts(text, found);
  return found.size > 0;
}

/** Of the address the host alone: the rest may hold secrets. */
function blocked(call: Call, { id: policyId, version: policyVersion, name: policyName, decision }: Policy, { host }: URL): NewActivity {
  const details = { policyName, decision, redirectedTo: host, source: call.source };
  return { ...aboutCall(call), type: 'call.blocked', policyId, policyVersion, details };
}

function refused({ id, name, decision }: Policy, { host, href }: URL): ActionError {
  const verdict = decision === 'block' ? 'blocks calls to it' : 'asks for an approval that this call does not have';
  return new ActionError(
    `The redirect to ${host} was not followed: the policy "${name}" ${verdict}. The final address may be called directly, where that policy judges it.`,
    { reason: 'redirect_refused', policyId: id, location: href },
  );
}
