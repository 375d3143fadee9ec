import { namesPeople } from '../../../../domain/policies/approver-rules.ts';
import type { Policy } from '../../../../domain/policies/policy.ts';
import { findOverlaps } from '../../../../domain/policies/policy-overlap.ts';
import { warnAboutPolicy } from '../../../../domain/policies/policy-warnings.ts';

/** The warnings about a policy, compared with `others`, in the words of the dashboard. */
export function plainWarnings(policy: Policy, others: readonly Policy[]): string[] {
  const own = warnAboutPolicy(policy, []).map((warning) => PLAIN[warning.slice(0, warning.indexOf(':'))]?.(policy) ?? warning);
  return [...overlapWarnings(policy, others), ...own];
}

const MAX_NAMED = 3;

function overlapWarnings(policy: Policy, others: readonly Policy[]): string[] {
  const overlaps = findOverlaps(policy, others);
  if (overlaps.length === 0) return [];
  const [first] = overlaps;
  if (first!.isWhole) return [`Never reached: ${first!.by.name} comes first.`];
  const more = overlaps.length > MAX_NAMED ? ` and ${overlaps.length - MAX_NAMED} more` : '';
  const names = overlaps.slice(0, MAX_NAMED).map(({ by }) => by.name);
  const verbs = overlaps.length === 1 ? 'comes first and lets' : 'come first and let';
  return [`Shadowed: ${names.join(', ')}${more} ${verbs} through calls that this policy would stop.`];
}

/** Functions that write a warning, by the first word of the API's warning. */
const PLAIN: Record<string, (policy: Policy) => string> = {
  'Self-approvable': ({ approvers }) =>
    namesPeople(approvers)
      ? 'Self-approvable: the person whom a call is for may approve it, and may also be its caller.'
      : 'Self-approvable: it names no person, so the caller gets a link that approves its own call. Choose approvers.',
  Evadable: ({ workspaceIntegrationIds, integrationAliases, connectionStrategies, mcpServerIds, endUserMode }) => {
    const filters = [
      workspaceIntegrationIds.length + integrationAliases.length + connectionStrategies.length > 0 && 'another alias',
      mcpServerIds.length > 0 && 'another server',
      endUserMode !== 'any' && 'another person',
    ].filter((way) => way !== false);
    return `Evadable: a caller can make the same call through ${filters[0] ?? 'another source'}.`;
  },
  Shadow: () => 'In shadow mode the risk model is not asked.',
};
