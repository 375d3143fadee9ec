import { draftFromYeses } from '../../../../commands/policies/draft-from-yeses.ts';
import { getShadowRecord } from '../../../../commands/policies/get-shadow-record.ts';
import { POLICY } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { type Policy, type PolicyFields, REVIEWER_ROLES } from '../../../../domain/policies/policy.ts';
import { newPolicy } from '../../../v1/approval-policies/schema.ts';
import { type Field, type FormSpec, formView, type Refusal } from '../form.ts';
import type { AppPage, Visit } from '../screen.ts';
import { shownApprovers } from '../webhooks/shown-address.ts';
import { plainWarnings } from './plain-warnings.ts';
import { type PolicyChoices, policyChoices } from './policy-choices.ts';
import { policyFields } from './policy-fields.ts';
import { policyHistory } from './policy-history.ts';
import { BASE } from './policy-of-path.ts';
import type { checkLastDays, TestedCall, tryCall } from './policy-trial.ts';
import { DECISION_NAMES } from './policy-words.ts';
import { yesesSentence } from './stop-asking-screen.ts';

/** The form of a policy and its choices, for one request. */
export interface OpenForm {
  /** Undefined for a new policy. */
  policy: Policy | undefined;
  choices: PolicyChoices;
  /** The fields as the page shows them before any edit. */
  fields: Field[];
}

interface Shown {
  typed?: URLSearchParams | undefined;
  refusal?: Refusal | undefined;
  lastDays?: LastDays | undefined;
  call?: TestedCall | undefined;
  tested?: Awaited<ReturnType<typeof tryCall>> | undefined;
}

/** The content of the region "Last 7 days". */
export type LastDays = Awaited<ReturnType<typeof checkLastDays>> | { problem: string };

/** A new policy has members as approvers, so no caller gets a link that can decide. */
function freshPolicy({ workspaceId = null }: { workspaceId?: string | null | undefined }): PolicyFields {
  const approvers = [{ type: 'org_role' as const, roles: [...REVIEWER_ROLES] }];
  return { ...newPolicy.parse({ name: 'New' }), name: '', workspaceId, approvers } as PolicyFields;
}

/** Opens the form of a policy, or of a new policy if `policy` is undefined. */
export async function openForm(visit: Visit, policy: Policy | undefined): Promise<OpenForm> {
  const choices = await policyChoices(visit);
  const shown = policy && { ...policy, approvers: shownApprovers(visit, policy.approvers) };
  return { policy, choices, fields: policyFields(shown ?? freshPolicy(visit), choices) };
}

/** The page of a stored or new policy. Members who may not change policies see text, no form. */
export async function policyPage(visit: Visit, { policy, choices, fields }: OpenForm, shown: Shown = {}): Promise<AppPage> {
  const mayManage = hasRole(visit.member.role, 'admin');
  const title = policy?.name ?? 'New policy';
  const path = `${BASE}/${policy?.id ?? 'new'}`;
  const spec: FormSpec = { title, id: 'policy', fields, button: policy ? 'Save' : 'Create policy', cancel: BASE };
  const [warnings, history, shadow, drafted] = await Promise.all([
    policy?.enabled ? warningsOf(visit, policy) : [],
    policy && policyHistory(visit, policy, choices),
    policy?.mode === 'shadow' ? shadowSentences(visit, policy) : undefined,
    policy && mayManage ? draftFromYeses(visit.gateway, policy) : undefined,
  ]);
  const call = shown.call ?? { integration: policy?.integrationNames[0] ?? 'http', action: policy?.actionNames[0] ?? '', input: '{}' };
  return {
    ...{ title, template: 'policies/policy', status: shown.refusal?.status ?? 200 },
    data: {
      ...{ title, policy, path, mayManage, warnings, history, shadow, call },
      yeses: drafted && (await yesesSentence(visit, drafted)),
      form: formView(spec, shown.typed, shown.refusal),
      described: mayManage ? [] : describeFields(fields),
      lastDays: shown.lastDays,
      tested: shown.tested,
      integrations: [...choices.integrations].map(([value, label]) => ({ value, label })),
    },
  };
}

async function warningsOf({ gateway, member }: Visit, policy: Policy): Promise<string[]> {
  const all = await gateway.policyLists.of(member);
  return plainWarnings(
    policy,
    all.filter(({ workspaceId }) => workspaceId === null || workspaceId === policy.workspaceId),
  );
}

function describeFields(fields: readonly Field[]): { label: string; values: string[] }[] {
  return fields.flatMap(({ label, options, value = '' }) => {
    const values = [value].flat().filter((one) => one !== '' || options !== undefined);
    const words = values.map((one) => options?.find((option) => option.value === one)?.label ?? one);
    return words.length === 0 ? [] : [{ label, values: words }];
  });
}

async function shadowSentences({ gateway, principal }: Visit, policy: Policy): Promise<string[]> {
  const { counts } = await getShadowRecord(gateway, principal, policy, POLICY.backtest.days.default);
  if (counts.length === 0) return ['It matched no call in the last 7 days.'];
  return counts.map(({ would, calls }) => `${calls === 1 ? '1 call' : `${calls} calls`}: ${SHADOWED[would]}.`);
}

const SHADOWED = { ...DECISION_NAMES, none: 'another policy decides first', unknown: 'not known without the risk model' } as const;
