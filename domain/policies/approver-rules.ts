import type { Approval } from '../approval.ts';
import { ROLE_NAMES } from '../member.ts';
import type { Person } from '../person.ts';
import type { Approver, PersonApprover, RecordedApprover, ReviewerRole } from './policy.ts';

/** Returns approvers in the form that an approval stores: webhooks without their addresses. */
export function recordApprovers(approvers: readonly Approver[]): RecordedApprover[] {
  return approvers.map((approver) => (approver.type === 'webhook' ? { type: 'webhook' } : approver));
}

export type Reviewable = Pick<Approval, 'orgId' | 'workspaceId' | 'endUserId' | 'approvers'>;

/** Whether this person may decide this approval (specification 2.7, approvers). */
export function mayReview(approval: Reviewable, person: Person): boolean {
  if (person.orgId !== approval.orgId || (person.type === 'user' && person.role === 'viewer')) return false;
  const asked = personApprovers(approval.approvers);
  return asked.length === 0 ? person.type === 'user' : asked.some((approver) => fits(approver, approval, person));
}

function fits(approver: PersonApprover, approval: Reviewable, person: Person): boolean {
  switch (approver.type) {
    case 'org_role':
      return person.type === 'user' && approver.roles.some((role) => role === person.role);
    case 'dashboard_user':
      return person.type === 'user' && approver.userIds.some((id) => id.toLowerCase() === person.id);
    case 'end_user':
      return person.type === 'end_user' && person.workspaceId === approval.workspaceId && person.externalId === approval.endUserId;
  }
}

/** Returns the approvers that are people. */
export function personApprovers(approvers: readonly RecordedApprover[]): PersonApprover[] {
  return approvers.filter((approver) => approver.type !== 'webhook');
}

/**
 * Whether a policy names people as approvers. The caller's link then cannot decide (contract
 * decisions 7, Caller's link).
 */
export function namesPeople(approvers: readonly Pick<RecordedApprover, 'type'>[]): boolean {
  return approvers.some(({ type }) => type !== 'webhook');
}

/** Returns the approvers in words, such as `an owner or admin of the organization`. */
export function describeApprovers(approvers: readonly RecordedApprover[]): string {
  const asked = personApprovers(approvers);
  return asked.length === 0 ? 'any member of the organization except viewers' : asked.map(describeApprover).join(', or ');
}

function describeApprover(approver: PersonApprover): string {
  switch (approver.type) {
    case 'org_role':
      return `${approver.roles[0] === 'member' ? 'a' : 'an'} ${inWords(approver.roles)} of the organization`;
    case 'dashboard_user':
      return approver.userIds.length === 1 ? `the user ${approver.userIds[0]}` : `one of the users ${approver.userIds.join(', ')}`;
    case 'end_user':
      return 'the end user whom the call is for';
  }
}

function inWords(roles: readonly ReviewerRole[]): string {
  const names = roles.map((role) => ROLE_NAMES[role].toLowerCase());
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}
