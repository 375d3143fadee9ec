import type { RuleSubject } from './evaluate-rules.ts';
import { matchGlobs } from './match-globs.ts';
import type { PolicyRules } from './policy.ts';
import { listValues, type RuleFinding } from './rule-finding.ts';
import { textsIn } from './texts-in.ts';

/** `recipientAllowlist` fires for a recipient outside it, `recipientDenylist` for one on it. */
export function judgeRecipients({ recipientAllowlist, recipientDenylist }: PolicyRules, subject: RuleSubject): RuleFinding[] {
  if (!recipientAllowlist && !recipientDenylist) return [];
  const whole = [...new Set(recipientsOf(subject))];
  const single = [...new Set(whole.flatMap(addressesIn))];
  const findings: RuleFinding[] = [];
  if (recipientAllowlist) {
    const isAllowed = allowedBy(recipientAllowlist);
    const isTooMuch = isTooMuchFor(recipientAllowlist, single);
    const fired = isTooMuch || single.some((value) => !isAllowed(value));
    const tell = () =>
      fired ? why(isTooMuch, 'a recipient is outside the allowlist') : none(single, 'every recipient is on the allowlist');
    findings.push({ rule: 'recipientAllowlist', fired, tell });
  }
  if (recipientDenylist) {
    const isDenied = matchGlobs(recipientDenylist);
    const every = [...new Set([...whole, ...single, ...whole.flatMap(embeddedAddresses)])];
    const isTooMuch = isTooMuchFor(recipientDenylist, every);
    const fired = isTooMuch || every.some(isDenied);
    const tell = () => (fired ? why(isTooMuch, 'a recipient is on the denylist') : none(single, 'no recipient is on the denylist'));
    findings.push({ rule: 'recipientDenylist', fired, tell });
  }
  return findings;
}

/** Whether so many texts against so many patterns with `*` would keep every other call waiting; plain entries cost nothing. */
function isTooMuchFor(list: readonly string[], texts: readonly string[]): boolean {
  const patterns = list.filter((entry) => entry.includes('*')).length;
  const characters = texts.reduce((sum, text) => sum + PER_TEXT + text.length, 0);
  return patterns * characters > MAX_COMPARED;
}

const PER_TEXT = 30;
const MAX_COMPARED = 100_000_000;

function why(isTooMuch: boolean, otherwise: string): string {
  return isTooMuch ? 'there are too many recipients to hold against its patterns' : otherwise;
}

function none(recipients: string[], otherwise: string): string {
  return recipients.length === 0 ? 'the call names no recipient' : `${otherwise} (${listValues(recipients)})`;
}

const RECIPIENT_FIELDS = new Set(['to', 'cc', 'bcc', 'recipient', 'recipients', 'email', 'channel', 'user']);

function recipientsOf(subject: RuleSubject): string[] {
  if (subject.recipients) return subject.recipients;
  const found: string[] = [];
  addNamedRecipients(subject.input, found);
  return found;
}

/** Fields of the usual names, however deep: a message may be an object within the input. */
function addNamedRecipients(value: unknown, found: string[]): void {
  if (value === null || typeof value !== 'object') return;
  for (const [key, item] of Object.entries(value)) {
    if (RECIPIENT_FIELDS.has(key.toLowerCase())) textsIn(item, found);
    else addNamedRecipients(item, found);
  }
}

/** One field may name several people, and each as `Name <address>`; a part that is anything else stays whole. */
function addressesIn(recipients: string): string[] {
  return recipients
    .split(/[,;\r\n]/)
    .map((part) => (NAMED.exec(part)?.[1] ?? part).trim())
    .filter((part) => part !== '');
}

const NAMED = /^[^<>@]*<([^<>]*)>\s*$/;

/** What is neither one address nor one handle may be sent to several: a pattern says nothing of it, only an entry that names it to the letter. */
function allowedBy(allowlist: readonly string[]): (recipient: string) => boolean {
  const isOnList = matchGlobs(allowlist);
  const isNamed = matchGlobs(allowlist.filter((entry) => !entry.includes('*')));
  return (recipient) => (ADDRESS.test(recipient) || HANDLE.test(recipient) ? isOnList(recipient) : isNamed(recipient));
}

const ADDRESS = /^[\p{L}\p{M}\p{N}._+'-]+@[\p{L}\p{M}\p{N}.-]+$/u;
const HANDLE = /^@?[^@<>"\s\p{C}]+$/u;

function embeddedAddresses(recipients: string): string[] {
  return recipients.split(/[\s,;:<>()"'?&=]+/).filter((part) => part.lastIndexOf('@') > 0);
}
