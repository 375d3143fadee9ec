import { deleteApprovalPolicy } from '../../../../commands/policies/delete-policy.ts';
import { updateApprovalPolicy } from '../../../../commands/policies/update-policy.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import type { Screen, Visit } from '../screen.ts';
import { BASE, policyOfPath } from './policy-of-path.ts';

const ACT = { role: 'admin', navigation: 'Policies' } as const;

/** Screens that turn a policy on or off, or delete it. */
export const policyActScreens: readonly Screen[] = [
  { ...ACT, path: `${BASE}/{id}/turn-off`, post: (visit) => turn(visit, false) },
  { ...ACT, path: `${BASE}/{id}/turn-on`, post: (visit) => turn(visit, true) },
  {
    ...{ ...ACT, path: `${BASE}/{id}/delete` },
    get: async (visit) => {
      const policy = await policyOfPath(visit);
      const consequences = await consequencesOf(visit, 'policy', policy.id);
      return confirmPage({ question: `Delete ${policy.name}?`, consequences, button: 'Delete policy', back: `${BASE}/${policy.id}` });
    },
    post: async (visit) => {
      const policy = await policyOfPath(visit);
      await deleteApprovalPolicy(visit.gateway, visit.principal, policy);
      return { seeOther: BASE, done: `${policy.name} is deleted.` };
    },
  },
];

async function turn(visit: Visit & { form: URLSearchParams }, enabled: boolean) {
  const policy = await policyOfPath(visit);
  if (policy.enabled !== enabled) await updateApprovalPolicy(visit.gateway, visit.principal, policy, { enabled });
  const seeOther = visit.form.get('back') === 'policy' ? `${BASE}/${policy.id}` : BASE;
  return { seeOther, done: `${policy.name} is turned ${enabled ? 'on' : 'off'}.` };
}
