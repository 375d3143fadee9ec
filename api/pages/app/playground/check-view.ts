import type { CheckedCall, CheckedProgram } from '../../../../commands/code-runs/plan/check-program.ts';

/** The data of the template `playground/check`: a checked program in words. */
export function checkView({ calls, analysisConfidence, dynamicSignals, externalDomains }: CheckedProgram) {
  const asked = calls.filter(needsYes).length;
  return {
    lead: leadOf(calls.length, asked, analysisConfidence === 'dynamic'),
    tone: asked > 0 ? 'waiting' : 'good',
    unseen: UNSEEN[analysisConfidence],
    signals: dynamicSignals.slice(0, MAX_SIGNALS),
    contacts: externalDomains,
    calls: calls.map((call) => ({
      name: `${call.alias}.${call.action}`,
      line: call.line,
      input: call.inputKnown ? 'Known' : 'Comes while it runs',
      repeats: call.repeats,
      says: saysOf(call),
      why: call.refusal,
      tone: toneOf(call),
    })),
  };
}

const MAX_SIGNALS = 10;

const UNSEEN = {
  exact: 'We see every call and every input.',
  partial: "We can't see some inputs, or how often a call runs.",
  dynamic: "We can't see some calls before it runs.",
} as const;

function leadOf(all: number, asked: number, isDynamic: boolean): string {
  if (all === 0) return isDynamic ? "We can't see which calls it makes." : 'It makes no calls.';
  const found = `It makes ${all} ${all === 1 ? 'call' : 'calls'}.`;
  if (asked === 0) return `${found} None needs a yes, as far as we can see.`;
  return `${found} ${asked} ${asked === 1 ? 'needs' : 'need'} a yes.`;
}

function needsYes({ policy, dependsOnModel }: CheckedCall): boolean {
  return policy?.decision === 'require_approval' && !dependsOnModel;
}

function saysOf(call: CheckedCall): string {
  const { policy, dependsOnModel, isPossible } = call;
  if (!isPossible) return "Can't be made now: its input does not fit, or an account is missing.";
  if (!policy) return 'Needs no yes.';
  if (dependsOnModel) return `Depends on the risk model: "${policy.name}".`;
  const name = `"${policy.name}"`;
  if (policy.decision === 'require_approval') return `Needs a yes: ${name} asks.`;
  if (policy.decision === 'block') return `Is blocked by ${name}.`;
  return policy.decision === 'notify_only' ? `Needs no yes: ${name} tells a webhook.` : `Needs no yes: ${name} lets it through.`;
}

function toneOf(call: CheckedCall): 'good' | 'bad' | 'waiting' {
  if (!call.isPossible || call.policy?.decision === 'block') return 'bad';
  return call.dependsOnModel || needsYes(call) ? 'waiting' : 'good';
}
