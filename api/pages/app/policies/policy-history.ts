import type { Approver, Policy } from '../../../../domain/policies/policy.ts';
import { listPolicyVersions, type PolicyVersion } from '../../../../store/policy-versions.ts';
import { presentChanges } from '../../../v1/approval-policies/present.ts';
import { showTime } from '../../layout/show-time.ts';
import type { Visit } from '../screen.ts';
import { shownApprovers } from '../webhooks/shown-address.ts';
import type { PolicyChoices } from './policy-choices.ts';

const PER_PAGE = 20;

/** The versions of a policy, newest first, with the changes of each version. */
export async function policyHistory(visit: Visit, policy: Policy, { members }: PolicyChoices) {
  const { gateway, query } = visit;
  const page = /^[1-9]\d{0,5}$/.test(query.get('versions') ?? '') ? Number(query.get('versions')) : 1;
  const offset = (page - 1) * PER_PAGE;
  // One more, to find the changes of the last shown version.
  const { items, total } = await listPolicyVersions(gateway.db, policy.orgId, policy.id, { limit: PER_PAGE + 1, offset });
  const versions = items.slice(0, PER_PAGE).map((version, index) => ({
    ...{ version: version.version, isCurrent: version.version === policy.version, at: showTime(version.createdAt) },
    who: whoChanged(version, members),
    restored: version.restoredVersion,
    changes: items[index + 1] ? presentChanges(items[index + 1]!, version).map((change) => shownChange(visit, change)) : undefined,
  }));
  return { versions, older: offset + PER_PAGE < total ? `versions=${page + 1}` : undefined };
}

function whoChanged({ changedByType, changedById }: PolicyVersion, members: ReadonlyMap<string, string>): string {
  if (changedByType === 'user') return members.get(changedById ?? '') ?? 'a former member';
  return changedByType === 'api_key' ? 'an API key' : 'the service';
}

const MAX_LENGTH = 300;

function shownChange(visit: Visit, { field, before, after }: { field: string; before: unknown; after: unknown }) {
  const shown = (value: unknown) => brief(field === 'approvers' ? shownApprovers(visit, value as Approver[]) : value);
  return { field, before: shown(before), after: shown(after) };
}

function brief(value: unknown): string {
  const text = value === null || value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
