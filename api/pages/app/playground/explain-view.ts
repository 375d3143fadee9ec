import type { AppliedPartial, CallExplanation, ForeseenOutcome, LookedAtPolicy } from '../../../../commands/calls/explain-call.ts';
import type { PolicyDecision } from '../../../../domain/policies/policy.ts';
import { describeReason, type ReasonedCall } from '../../layout/describe-reason.ts';
import { type ShownValue, showValue } from '../../layout/show-value.ts';

interface Line {
  name: string;
  says: string;
  reasons?: readonly string[];
  /** Path below /app. */
  href?: string;
}

/** The data of the template `playground/explanation`: what a call would do, in words. */
export interface ExplanationView {
  lead: string;
  tone: 'good' | 'bad' | 'waiting';
  /** The approval that the call would wait for or use. */
  approvalId: string | undefined;
  /** The alias and the account that the call would use. */
  facts: { name: string; says: string }[];
  presets: Line[];
  policies: Line[];
  shadows: Line[];
  input: ShownValue | undefined;
}

const DECISIONS: Record<PolicyDecision, string> = {
  block: 'Block',
  require_approval: 'Ask a person',
  notify_only: 'Tell a webhook only',
  auto_approve: 'Let through',
};

/** Describes the explanation of a call in words. */
export function explanationView({ alias, ...said }: CallExplanation, integrationName: string, displayName: string): ExplanationView {
  const { outcome, partials, connection, policies, shadows, input } = said;
  const account = accountWords(connection);
  return {
    ...leadOf(outcome),
    facts: [
      ...(alias === undefined
        ? []
        : [{ name: 'Alias', says: alias === integrationName ? alias : `${alias}, which is ${integrationName}` }]),
      ...(account ? [{ name: 'Account', says: account }] : []),
    ],
    presets: partials.filter(({ inputs }) => inputs.length > 0).map(presetLine),
    policies: policies.map((one) => policyLine(one, { integrationName, displayName, inputPreview: input?.preview ?? {} })),
    shadows: shadows.map(({ policy, would }) => ({ name: policy.name, says: SHADOWS[would], href: `/policies/${policy.id}` })),
    input: input && showValue(input.preview, 'Input').shown,
  };
}

const SHADOWS = {
  block: 'Would block it.',
  require_approval: 'Would ask a person.',
  notify_only: 'Would tell a webhook.',
  auto_approve: 'Would let it through.',
  none: 'Another policy would decide first.',
  unknown: "We can't tell: the risk model would have to be asked.",
} as const;

type Lead = Pick<ExplanationView, 'lead' | 'tone' | 'approvalId'>;

function leadOf(outcome: ForeseenOutcome): Lead {
  const say = (lead: string, tone: Lead['tone'], approvalId?: string): Lead => ({ lead, tone, approvalId });
  switch (outcome.kind) {
    case 'refused':
      return say(`The call is refused: ${outcome.error.message}`, 'bad');
    case 'blocked':
      return say(`"${outcome.policy.name}" blocks the call.`, 'bad');
    case 'runs':
      if (!outcome.policy) return say('The call runs immediately. No policy applies.', 'good');
      if (outcome.policy.decision === 'notify_only')
        return say(`The call runs immediately. "${outcome.policy.name}" tells a webhook.`, 'good');
      return say(`The call runs immediately. "${outcome.policy.name}" lets it through.`, 'good');
    case 'asks':
      return say(`The call waits for a person. "${outcome.policy.name}" asks for an approval.`, 'waiting');
    case 'waits':
      return say(`The call waits. "${outcome.policy.name}" has already asked for an approval.`, 'waiting', outcome.approval.id);
    case 'uses_approval':
      return say('The call runs immediately and uses the approval that was given for it.', 'good', outcome.approval.id);
    case 'reuses_approval':
      return say(
        `The call runs immediately. A person approved it before, and "${outcome.policy.name}" lets it repeat.`,
        'good',
        outcome.approvalId,
      );
    case 'depends_on_model':
      return say(`It depends: "${outcome.policy.name}" asks the risk model when the call is made.`, 'waiting');
  }
}

const CHOSEN = {
  named: 'the call names it',
  of_tool: 'the tool names it',
  own: "it is the person's own",
  configured: 'the workspace integration uses it',
  only_shared: 'it is the only shared one',
} as const;

function accountWords(connection: CallExplanation['connection']): string | undefined {
  if (connection === undefined) return undefined;
  if (connection === null) return 'None is needed.';
  const { displayName, externalId, chosenAs } = connection;
  const name = displayName === externalId ? externalId : `${displayName} (${externalId})`;
  return `${name}: ${CHOSEN[chosenAs]}.`;
}

const EFFECTS = { enforced: 'always', default: 'where nothing is sent', overridden: 'not used here' } as const;

function presetLine({ name, inputs }: AppliedPartial): Line {
  return { name, says: `Sets ${inputs.map(({ key, effect }) => `${key} (${EFFECTS[effect]})`).join(', ')}.` };
}

function policyLine(
  { policy, decides, reasons: recorded }: LookedAtPolicy,
  { displayName, ...call }: Omit<ReasonedCall, 'policyName'> & { displayName: string },
): Line {
  const reasons = recorded.map((reason) => describeReason(reason, { ...call, policyName: policy.name }, { integration: displayName }));
  const says = decides ? `Decides: ${DECISIONS[policy.decision]}.` : 'Does not decide.';
  return { name: policy.name, says, reasons, href: `/policies/${policy.id}` };
}
