import type { CallFacts } from './call-facts.ts';
import { compiledRules } from './compiled-rules.ts';
import type { Globs } from './match-globs.ts';
import type { PolicyRules } from './policy.ts';
import type { Recipients } from './read-recipient.ts';
import { listValues, type RuleFinding, tooLargeFinding } from './rule-finding.ts';

/** Judges both lists of recipients. The allowlist admits no disguised recipient. */
export function judgeRecipients(rules: PolicyRules, facts: CallFacts): RuleFinding[] {
  const { recipientAllowlist, recipientDenylist } = rules;
  return [...(recipientAllowlist ? [judgeAllowed(rules, facts)] : []), ...(recipientDenylist ? [judgeDenied(rules, facts)] : [])];
}

function judgeAllowed(rules: PolicyRules, facts: CallFacts): RuleFinding {
  const rule = 'recipientAllowlist';
  const recipients = facts.recipients();
  if (!recipients) return tooLargeFinding(rule);
  const { any, exact } = compiledRules(rules).recipientAllowlist();
  for (const recipient of recipients.named) {
    // A text that is not one address or handle can reach several people, so only an entry without
    // `*` allows it.
    const isOne = ADDRESS.test(recipient) || HANDLE.test(recipient);
    const isAllowed = (isOne ? any : exact).match(recipient, facts.work);
    if (isAllowed === undefined) return tooLargeFinding(rule);
    if (!isAllowed) return { rule, fired: true, describe: () => 'a recipient is outside the allowlist' };
  }
  if (recipients.isDisguised)
    return { rule, fired: true, isUnsure: true, describe: () => 'a recipient contains look-alike or invisible characters' };
  return { rule, fired: false, describe: () => none(recipients, 'every recipient is on the allowlist') };
}

function judgeDenied(rules: PolicyRules, facts: CallFacts): RuleFinding {
  const rule = 'recipientDenylist';
  const recipients = facts.recipients();
  if (!recipients) return tooLargeFinding(rule);
  const denied = compiledRules(rules).recipientDenylist();
  for (const reading of recipients.readings) {
    const isDenied = denied.match(reading, facts.work);
    if (isDenied === undefined) return tooLargeFinding(rule);
    if (isDenied)
      return { rule, fired: true, isUnsure: !allDenied(recipients, denied, facts), describe: () => 'a recipient is on the denylist' };
  }
  return { rule, fired: false, describe: () => none(recipients, 'no recipient is on the denylist') };
}

function allDenied({ named, isDisguised }: Recipients, denied: Globs, { work }: CallFacts): boolean {
  return (
    !isDisguised &&
    named.length > 0 &&
    named.every((name) => (ADDRESS.test(name) || HANDLE.test(name)) && denied.match(name, work) === true)
  );
}

const ADDRESS = /^[\p{L}\p{M}\p{N}._+'-]+@[\p{L}\p{M}\p{N}.-]+$/u;
const HANDLE = /^@?[^@<>%"\s\p{C}]+$/u;

function none({ written }: Recipients, otherwise: string): string {
  return written.length === 0 ? 'the call names no recipient' : `${otherwise} (${listValues(written)})`;
}
