import { createApprovalPolicy } from '../../../../commands/policies/create-policy.ts';
import { type DraftFromYeses, draftFromYeses } from '../../../../commands/policies/draft-from-yeses.ts';
import type { Policy } from '../../../../domain/policies/policy.ts';
import { listActorNames } from '../../../../store/actor-names.ts';
import { notFound } from '../../../route.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { namesOfWorkspaces } from '../workspace-names.ts';
import { afterSaving } from './after-saving.ts';
import { BASE, policyOfPath } from './policy-of-path.ts';
import { checkLastDays } from './policy-trial.ts';
import { KIND_NAMES } from './policy-words.ts';

/** Shows a narrower policy that is drafted from repeated approvals, and creates this policy. */
export const stopAskingScreen: Screen = {
  ...{ path: `${BASE}/{id}/stop-asking`, role: 'admin', navigation: 'Policies' },
  get: async (visit) => {
    const policy = await policyOfPath(visit);
    const draft = await draftFromYeses(visit.gateway, policy);
    if (!draft) throw notFound();
    return draftPage(visit, policy, draft);
  },
  post: async (visit) => {
    const policy = await policyOfPath(visit);
    const draft = await draftFromYeses(visit.gateway, policy);
    if (!draft) throw notFound();
    // New approvals since the page was shown may have changed the draft.
    if (visit.form.get('draft') !== JSON.stringify(draft.fields.rules)) return draftPage(visit, policy, draft, 409);
    const { policy: made, secrets } = await createApprovalPolicy(visit.gateway, visit.principal, draft.fields);
    return afterSaving(
      `${BASE}/${made.id}`,
      `${made.name} is created. It is in shadow mode: ${policy.name} still asks about every call.`,
      secrets,
    );
  },
};

async function draftPage(visit: Visit, policy: Policy, draft: DraftFromYeses, status = 200): Promise<AppPage> {
  const { workspaceId } = draft.yeses;
  const [sentence, lastDays, workspaces] = await Promise.all([
    yesesSentence(visit, draft),
    checkLastDays({ ...visit, workspaceId }, { fields: draft.fields, changes: {}, replaces: policy }),
    namesOfWorkspaces(visit, [workspaceId]),
  ]);
  const data = {
    policy,
    workspace: workspaces.get(workspaceId) ?? workspaceId,
    sentence,
    bounds: boundsOf(draft),
    draft: JSON.stringify(draft.fields.rules),
    lastDays,
    isChanged: status === 409,
  };
  return { title: 'Stop asking me', status, template: 'policies/stop-asking', data };
}

/** A sentence that says who approved which calls, and how often. */
export async function yesesSentence({ gateway, member }: Visit, { yeses }: DraftFromYeses): Promise<string> {
  const names = await listActorNames(gateway.db, member.orgId, yeses.deciders);
  const deciders = yeses.deciders.map(({ type, id }) => {
    if (id === member.id) return 'You';
    const name = names.get(id ?? '');
    if (type === 'api_key') return name === undefined ? 'A deleted API key' : `API key ${name}`;
    return name ?? 'A former member';
  });
  return `${deciders.join(', ')} said yes ${yeses.count} times in a row to ${yeses.integrationName}.${yeses.actionName}.`;
}

function boundsOf({ yeses: { known } }: DraftFromYeses): string[] {
  const others = (noun: string, values: readonly string[]) =>
    values.length === 0 ? `a call that names a ${noun}` : `another ${noun} than ${values.join(', ')}`;
  return [
    `another kind of call than ${KIND_NAMES[known.category]}`,
    others('domain', known.hosts),
    others('recipient', known.recipients),
    others('path', []),
    ...known.amounts.map(({ path, most }) => `${path} above ${most}`),
  ];
}
