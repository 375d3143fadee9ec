import type { Policy } from '../../domain/policies/policy.ts';
import { readAhead } from '../../domain/policies/policy-overlap.ts';
import { warnAboutPolicy } from '../../domain/policies/policy-warnings.ts';
import { breathe } from '../../infra/event-loop/breathe.ts';
import { listPoliciesBefore } from '../../store/approval-policies.ts';
import type { Gateway } from '../gateway.ts';
import { readInPages } from './read-in-pages.ts';

/** The warnings about a policy, for example that other policies decide its calls first. */
export async function findPolicyWarnings(gateway: Pick<Gateway, 'db'>, policy: Policy): Promise<string[]> {
  return warnAboutPolicy(policy, await findPoliciesBefore(gateway, policy));
}

async function findPoliciesBefore({ db }: Pick<Gateway, 'db'>, policy: Policy): Promise<Policy[]> {
  const others = await readInPages((page) => listPoliciesBefore(db, policy, page));
  for (const other of others) {
    readAhead(other);
    await breathe();
  }
  return others;
}
