import { isDeepStrictEqual } from 'node:util';
import type { Policy, PolicyFields } from '../../domain/policies/policy.ts';
import {
  type DecidedCall,
  draftNarrower,
  findRepeatedYeses,
  type RepeatedYeses,
  type WordFields,
} from '../../domain/policies/repeated-yeses.ts';
import type { Action } from '../../integrations/definition.ts';
import { listApprovalPolicies } from '../../store/approval-policies.ts';
import { listDecidedCalls } from '../../store/policy-use.ts';
import type { Gateway } from '../gateway.ts';

/** A narrower policy, drafted from repeated approvals. */
export interface DraftFromYeses {
  /** The rows of equal yeses that it leaves out, the longest first. */
  yeses: [RepeatedYeses, ...RepeatedYeses[]];
  /** In shadow mode, so that nothing changes by itself. */
  fields: PolicyFields;
}

/**
 * Drafts a narrower policy if equal calls of this policy were allowed many times in a row;
 * undefined otherwise. Nothing is stored. Not drafted twice.
 */
export async function draftFromYeses(gateway: Gateway, policy: Policy): Promise<DraftFromYeses | undefined> {
  const { db } = gateway;
  const decided = await listDecidedCalls(db, policy.orgId, policy.id);
  if (decided.length === 0) return undefined;
  const rows = findRepeatedYeses(decided, policy, await wordsOfActions(gateway, policy.orgId, decided));
  const fields = draftNarrower(policy, rows);
  if (!fields) return undefined;
  const yeses = rows.filter(({ workspaceId }) => workspaceId === fields.workspaceId) as DraftFromYeses['yeses'];
  const others = await listApprovalPolicies(db, { orgId: policy.orgId });
  const isThere = others.some((other) => other.workspaceId === fields.workspaceId && isDeepStrictEqual(other.rules, fields.rules));
  return isThere ? undefined : { yeses, fields };
}

/** The fields of the called actions that take one of a few words. */
async function wordsOfActions({ catalog }: Gateway, orgId: string, calls: readonly DecidedCall[]): Promise<WordFields> {
  const all = await catalog.of(orgId, [...new Set(calls.map(({ integrationName }) => integrationName))]);
  const words = new Map<Action, Set<string>>();
  return ({ integrationName, actionName }) => {
    const action = all.find(integrationName)?.actions.get(actionName);
    if (!action) return new Set();
    const known = words.get(action) ?? wordFields(action);
    words.set(action, known);
    return known;
  };
}

/** The code of a currency, among other words of three letters. */
const CODE = /^[a-z]{3}$/i;

/**
 * Fields with an enumeration that is not a list of currency codes, such as `get`, `post` and
 * `delete`. Their three-letter values are no currencies.
 */
function wordFields({ input }: Action): Set<string> {
  const properties = Object.entries((input.json.properties ?? {}) as Record<string, { enum?: unknown }>);
  const isWord = (field: { enum?: unknown }) => Array.isArray(field.enum) && !field.enum.every((word) => CODE.test(String(word)));
  return new Set(properties.filter(([, field]) => isWord(field)).map(([name]) => name));
}
