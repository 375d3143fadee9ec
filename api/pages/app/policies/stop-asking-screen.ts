import { createApprovalPolicy } from '../../../../commands/policies/create-policy.ts';
import { type DraftFromYeses, draftFromYeses } from '../../../../commands/policies/draft-from-yeses.ts';
import type { CallException, Policy } from '../../../../domain/policies/policy.ts';
import { listActorNames } from '../../../../store/actor-names.ts';
import { notFound } from '../../../route.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { namesOfWorkspaces } from '../workspace-names.ts';
import { afterSaving } from './after-saving.ts';
import { BASE, policyOfPath } from './policy-of-path.ts';
import { checkLastDays } from './policy-trial.ts';
import { KIND_NAMES } from './policy-words.ts';

/** A narrower policy drafted from repeated yeses: what it would ask, and the button for it. */
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
    // Yeses that came since the page was read may have widened the draft.
    if (visit.form.get('draft') !== JSON.stringify(draft.fields.rules)) return draftPage(visit, policy, draft, 409);
    const { policy: made, secrets } = await createApprovalPolicy(visit.gateway, visit.principal, draft.fields);
    return afterSaving(
      `${BASE}/${made.id}`,
      `${made.name} is created. It is a shadow: ${policy.name} still asks about every call.`,
      secrets,
    );
  },
};

async function draftPage(visit: Visit, policy: Policy, draft: DraftFromYeses, status = 200): Promise<AppPage> {
  const { workspaceId } = draft.yeses[0];
  const [sentences, lastDays, workspaces] = await Promise.all([
    yesesSentences(visit, draft),
    checkLastDays({ ...visit, workspaceId }, { fields: draft.fields, changes: {}, replaces: policy }),
    namesOfWorkspaces(visit, [workspaceId]),
  ]);
  const data = {
    policy,
    workspace: workspaces.get(workspaceId) ?? workspaceId,
    rows: draft.yeses.map(({ known }, index) => ({
      ...{ sentence: sentences[index], action: `${known.integrationName}.${known.actionName}` },
      bounds: boundsOf(known),
    })),
    draft: JSON.stringify(draft.fields.rules),
    lastDays,
    isChanged: status === 409,
  };
  return { title: 'Stop asking me', status, template: 'policies/stop-asking', data };
}

/** Who said yes how often, to what; a sentence for each row. */
export async function yesesSentences({ gateway, member }: Visit, { yeses }: DraftFromYeses): Promise<string[]> {
  const all = yeses.flatMap(({ deciders }) => deciders);
  const names = await listActorNames(gateway.db, member.orgId, all);
  return yeses.map(({ deciders, count, integrationName, actionName }) => {
    const who = deciders.map(({ type, id }) => {
      if (id === member.id) return 'You';
      const name = names.get(id ?? '');
      if (type === 'api_key') return name === undefined ? 'A deleted API key' : `API key ${name}`;
      return name ?? 'A former member';
    });
    return `${who.join(', ')} said yes ${count} times in a row to ${integrationName}.${actionName}.`;
  });
}

/** What the draft still asks about calls of the action. */
function boundsOf({ actionCategory, domains, recipients, paths, amounts }: CallException): string[] {
  const others = (noun: string, values: readonly string[]) =>
    values.length === 0 ? `a call that names a ${noun}` : `another ${noun} than ${values.join(', ')}`;
  return [
    `another kind of call than ${KIND_NAMES[actionCategory]}`,
    others('domain', domains),
    others('recipient', recipients),
    others('path', paths),
    ...amounts.map(({ path, upTo }) => `${path} above ${upTo}`),
  ];
}
