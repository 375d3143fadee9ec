import type { Approval } from '../../../domain/approval.ts';
import { isRecord } from '../../../domain/unknown-values.ts';
import { describeFilter } from './describe-filter.ts';

/** The call that a reason is about. */
export type ReasonedCall = Pick<Approval, 'policyName' | 'inputPreview' | 'integrationName'>;

/**
 * Describes, for pages, why a policy matched or did not match. A reason in an unknown form stays as
 * it was recorded.
 */
export function describeReason(
  reason: string,
  { policyName, inputPreview, integrationName }: ReasonedCall,
  { integration }: { integration: string },
): string {
  const matches = `policy "${policyName}" matches `;
  if (reason.startsWith(matches))
    return `"${policyName}" asks about ${callsOf(reason.slice(matches.length), integrationName, integration)}.`;
  const [, path, bound] = AMOUNT.exec(reason) ?? [];
  if (path !== undefined) return `${path} is ${amountAt(inputPreview, path) ?? 'over the limit'}. The policy asks at ${bound}.`;
  const [, rule, judged, words] = RULE.exec(reason) ?? [];
  const kind = rule === undefined ? undefined : KINDS[rule];
  if (kind === undefined) return describeFilter(reason) ?? reason;
  return judged === 'did not fire, ' ? `${kind}: doesn’t apply, ${words}.` : `${kind}: ${words}.`;
}

/**
 * Match recorded reasons, such as `amountThresholds: body.amount is 500 or more`. A reason of a
 * policy test also says whether the rule fired.
 */
const AMOUNT = /^amountThresholds: (?:fired, )?(\S+) is (more than \S+|\S+ or more)$/;
const RULE = /^(\w+): (fired, |did not fire, )?(.+)$/s;

const KINDS: Record<string, string> = {
  actionCategories: 'Kind of action',
  amountThresholds: 'Amount',
  recipientAllowlist: 'Recipient',
  recipientDenylist: 'Recipient',
  domainAllowlist: 'Domain',
  domainDenylist: 'Domain',
  storagePathPrefixes: 'Path',
};

const FILTERS = /^(?:integration ([\w-]+))?(?:(?:^|, )action ([\w-]+))?$/;

function callsOf(filters: string, name: string, displayName: string): string {
  if (filters === 'every action') return 'every call';
  const [, integration, action] = FILTERS.exec(filters) ?? [];
  if (integration === undefined && action === undefined) return `calls that match: ${filters}`;
  const app = integration === name ? displayName : integration;
  if (action === undefined) return `every ${app} call`;
  return app === undefined ? `every call of ${action}` : `every call of ${action} on ${app}`;
}

/** Reads the preview, because the input itself can hold values that reviewers must not see. */
function amountAt(preview: Record<string, unknown>, path: string): string | undefined {
  const found = path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), preview);
  return typeof found === 'number' || (typeof found === 'string' && NUMBER.test(found)) ? String(found) : undefined;
}

const NUMBER = /^[+-]?[\d.]{1,40}$/;
