import type { Policy, PolicyFields } from '../../domain/policies/policy.ts';
import { normalNames } from '../../domain/policies/policy-filters.ts';
import { draftNarrower, findRepeatedYeses, type KnownFields, type RepeatedYeses } from '../../domain/policies/repeated-yeses.ts';
import type { Action } from '../../integrations/definition.ts';
import { listApprovalPolicies } from '../../store/approval-policies.ts';
import { listCustomIntegrations } from '../../store/custom-integrations.ts';
import { listDecidedCalls } from '../../store/policy-use.ts';
import type { Gateway } from '../gateway.ts';

/** A narrower policy, drafted from repeated approvals. */
export interface DraftFromYeses {
  yeses: RepeatedYeses;
  /** The mode is shadow, so the draft changes nothing by itself. */
  fields: PolicyFields;
}

/**
 * Drafts a narrower policy from equal calls that were approved many times in a row; undefined if
 * there is nothing to draft. The policy must be about exactly one action. Stores nothing.
 */
export async function draftFromYeses(gateway: Gateway, policy: Policy): Promise<DraftFromYeses | undefined> {
  const { db } = gateway;
  const action = await theOneAction(gateway, policy);
  if (!action) return undefined;
  const yeses = findRepeatedYeses(await listDecidedCalls(db, policy.orgId, policy.id), policy, fieldsOf(action));
  const fields = yeses && draftNarrower(policy, yeses);
  if (!yeses || !fields) return undefined;
  const rules = JSON.stringify(fields.rules);
  const others = await listApprovalPolicies(db, { orgId: policy.orgId });
  const isThere = others.some((other) => other.workspaceId === fields.workspaceId && JSON.stringify(other.rules) === rules);
  return isThere ? undefined : { yeses, fields };
}

/**
 * Returns the one action that a policy is about. Undefined if the filters admit several actions or
 * none, or if neither filter has exactly one name.
 */
async function theOneAction({ catalog, db }: Gateway, policy: Policy): Promise<Action | undefined> {
  const own = await listCustomIntegrations(db, policy.orgId);
  const all = await catalog.of(
    policy.orgId,
    own.map(({ name }) => name),
  );
  const [integrations, actions] = [normalNames(policy.integrationNames), normalNames(policy.actionNames)];
  const named = all.list().filter(({ name }) => integrations.size === 0 || integrations.has(name));
  const reached = named.flatMap((integration) => [...integration.actions].filter(([name]) => actions.size === 0 || actions.has(name)));
  return reached.length === 1 && (actions.size === 1 || integrations.size === 1) ? reached[0]![1] : undefined;
}

/** A currency code, or another word of three letters. */
const CODE = /^[a-z]{3}$/i;

interface Property {
  enum?: unknown;
  default?: unknown;
}

/**
 * `words`: fields in which a word of three letters is no currency, for example `get` next to
 * `post`. `settings`: fields with a number as default.
 */
function fieldsOf({ input }: Action): KnownFields {
  const properties = Object.entries((input.json.properties ?? {}) as Record<string, Property>);
  const namesOf = (isOne: (field: Property) => boolean) => new Set(properties.filter(([, field]) => isOne(field)).map(([name]) => name));
  return {
    words: namesOf((field) => Array.isArray(field.enum) && !field.enum.every((word) => CODE.test(String(word)))),
    settings: namesOf((field) => typeof field.default === 'number'),
  };
}
