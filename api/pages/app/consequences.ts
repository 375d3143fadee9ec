import {
  DEPENDENT_CAP,
  DEPENDENT_DAYS,
  type DependedKind,
  type DependentCount,
  type Dependents,
} from '../../../domain/impact/dependents.ts';
import { countDependents } from '../../../store/dependents.ts';
import type { Visit } from './screen.ts';

/** Empty sentences are left out. */
interface Words {
  stops(found: Dependents): string[];
  stays?: string;
}

const DAYS = `the last ${DEPENDENT_DAYS} days`;

const WORDS: Record<DependedKind, Words> = {
  workspace: {
    stops: (found) => [
      listed('Deleted with it: ', [
        amount(found.integrations, 'integration'),
        amount(found.servers, 'MCP server'),
        amount(found.people, 'person', 'people'),
        amount(found.connections, 'account'),
        amount(found.policies, 'policy', 'policies'),
      ]) || 'The workspace is empty.',
      calls(found, 'ran in this workspace'),
      withdrawn(found),
    ],
    stays:
      'Approvals, receipts and the record of its calls stay. API keys for only this workspace can no longer reach anything. You can’t undo this.',
  },
  workspaceIntegration: {
    stops: (found) => [
      calls(found, 'used this integration'),
      some(found.servers, (n) => `Its tools disappear from ${amount(n, 'MCP server')}.`),
      some(found.presets, (n) => `Deleted with it: ${amount(n, 'preset')}.`),
      policiesThatName(found.policies),
      withdrawn(found),
    ],
    stays: 'Connected accounts and the record of its calls stay. You can add the integration again.',
  },
  connection: {
    stops: (found) => [
      calls(found, 'used this account'),
      listed('This account is removed from ', [
        amount(found.integrations, 'integration of a workspace', 'integrations of workspaces'),
        amount(found.servers, 'MCP server'),
      ]),
      'Calls that need this account fail until another account is connected.',
      withdrawn(found),
    ],
    stays: 'The record of its calls stays. You can connect the account again.',
  },
  mcpServer: {
    stops: (found) => [
      calls(found, 'came through this server'),
      listed('These stop working immediately: ', ['its endpoint', amount(found.tokens, 'token')]),
      policiesThatName(found.policies),
      withdrawn(found),
    ],
    stays: 'Integrations and accounts of the workspace and the record of its calls stay. A new server has another endpoint.',
  },
  suspendedServer: {
    stops: (found) => [
      'Agents are refused from their next request on.',
      calls(found, 'came through this server'),
      some(found.tokens, (n) => `${amount(n, 'token')} ${verb(n, 'is', 'are')} refused until you resume the server.`),
      policiesThatName(found.policies),
      stillWaiting(found),
    ],
    stays: 'Its tools and tokens are kept.',
  },
  mcpToken: {
    stops: (found) => [calls(found, 'came with this token'), stillWaiting(found)],
  },
  oauthToken: {
    stops: (found) => [
      calls(found, 'were made for this person through the server', 'was made for this person through the server'),
      stillWaiting(found),
    ],
  },
  endUser: {
    stops: (found) => [
      calls(found, 'were made for this person', 'was made for this person'),
      listed('Deleted with them: ', [
        amount(found.connections, 'account'),
        amount(found.servers, 'MCP server'),
        amount(found.tokens, 'token'),
        'what tools stored for them',
      ]),
      withdrawn(found),
    ],
    stays: 'The record of their calls stays. If you add them again, they must connect their accounts again.',
  },
  apiKey: {
    stops: (found) => [
      'Requests with this key are refused from now on.',
      calls(found, 'came with this key'),
      some(
        found.waiting,
        (n) => `${amount(n, 'approval')} of its calls still ${verb(n, 'waits', 'wait')}, and can be used with another key.`,
      ),
    ],
    stays: 'Approvals and the record of its calls stay. You can’t undo this.',
  },
  oauthApp: {
    stops: (found) => [
      'People can’t connect new accounts by consent.',
      some(found.connections, (n) => `${amount(n, 'account')} ${verb(n, 'stops', 'stop')} working when the access must be renewed.`),
      calls(found, 'used such an account'),
    ],
    stays: 'Accounts and the record of their calls stay. With a new app, people reconnect their accounts.',
  },
  ownIntegration: {
    stops: (found) => [
      calls(found, 'used this integration'),
      some(found.servers, (n) => `Its tools disappear from ${amount(n, 'MCP server')}.`),
      policiesThatName(found.policies),
      withdrawn(found),
    ],
    stays: 'The record of its calls stays. You can import the integration again.',
  },
  encryptionKey: {
    stops: (found) => [some(found.connections, (n) => `This key protects ${amount(n, 'account')}.`), calls(found, 'used an account')],
  },
  signingKeys: {
    stops: (found) => [
      some(found.servers, (n) => `Clients sign in to ${amount(n, 'MCP server')} with these keys.`),
      some(found.tokens, (n) => `${amount(n, 'token')} of clients ${verb(n, 'stays', 'stay')} valid.`),
      calls(found, 'came from agents'),
    ],
  },
  policy: {
    stops: (found) => [
      asked(found, 'This policy'),
      some(found.calls, (n) => `This policy decided ${amount(n, 'call')} in ${DAYS}.`),
      'The other policies will judge the calls that this policy matches now. A call that matches no policy runs.',
      stillWaiting(found),
    ],
    stays: 'Its approvals and receipts stay.',
  },
  webhook: {
    stops: (found) => [
      asked(found, 'The policy of this webhook'),
      some(found.waiting, (n) => `${amount(n, 'approval')} still ${verb(n, 'waits', 'wait')}.`),
      some(found.deliveries, (n) => `${amount(n, 'delivery', 'deliveries')} ${verb(n, 'is', 'are')} still to be sent.`),
    ],
  },
  member: {
    stops: (found) => [
      some(found.uses, (n) => `They decided ${amount(n, 'approval')} of ${DAYS}.`),
      some(found.policies, (n) => `${amount(n, 'policy', 'policies')} ${verb(n, 'names', 'name')} them as an approver.`),
      some(
        found.waiting,
        (n) => `${amount(n, 'approval')} of such a policy still ${verb(n, 'waits', 'wait')}: make sure that somebody else can decide.`,
      ),
    ],
  },
};

/**
 * Paragraphs for `confirmPage`: what breaks when a record of the visitor's organization is deleted
 * or changed, and what stays.
 */
export async function consequencesOf({ gateway, member }: Visit, kind: DependedKind, id: string): Promise<string[]> {
  return describeDependents(kind, await countDependents(gateway.db, member.orgId, { kind, id }));
}

/** Describes what depends on a record: a paragraph on what stops working, another on what stays. */
export function describeDependents(kind: DependedKind, found: Dependents): string[] {
  const { stops, stays = '' } = WORDS[kind];
  const sentences = stops(found).filter((sentence) => sentence !== '');
  return [sentences.map(capitalized).join(' '), stays].filter((paragraph) => paragraph !== '');
}

/** A count in words: `3 calls`, `more than 10,000 calls`, `at least 12 calls`; empty for none. */
export function amount({ count, isMore }: DependentCount, singular: string, plural = `${singular}s`): string {
  if (count === 0) return '';
  const shown = count.toLocaleString('en');
  const number = !isMore ? shown : count === DEPENDENT_CAP ? `more than ${shown}` : `at least ${shown}`;
  return `${number} ${count === 1 ? singular : plural}`;
}

function verb({ count }: DependentCount, singular: string, plural: string): string {
  return count === 1 ? singular : plural;
}

function some(counted: DependentCount, words: (counted: DependentCount) => string): string {
  return counted.count > 0 ? words(counted) : '';
}

function listed(lead: string, parts: readonly string[]): string {
  const named = parts.filter((part) => part !== '');
  return named.length === 0 ? '' : `${lead}${new Intl.ListFormat('en').format(named)}.`;
}

function calls({ uses }: Dependents, plural: string, singular = plural): string {
  if (uses.count > 0) return `${amount(uses, 'call')} ${verb(uses, singular, plural)} in ${DAYS}.`;
  return uses.isMore ? `None of the newest calls ${plural}.` : `No call ${singular} in ${DAYS}.`;
}

function asked({ uses }: Dependents, who: string): string {
  return uses.count > 0 ? `${who} asked for ${amount(uses, 'approval')} in ${DAYS}.` : `${who} asked for no approval in ${DAYS}.`;
}

function policiesThatName(counted: DependentCount): string {
  return some(
    counted,
    (n) =>
      `${amount(n, 'policy', 'policies')} ${verb(n, 'names', 'name')} it. ${verb(n, 'This policy', 'These policies')} will no longer match its calls.`,
  );
}

function stillWaiting({ waiting }: Dependents): string {
  return some(waiting, (n) => `${amount(n, 'approval')} still ${verb(n, 'waits', 'wait')}, and can be decided.`);
}

function withdrawn({ waiting, runs }: Dependents): string {
  const ended = [amount(waiting, 'waiting approval'), amount(runs, 'unfinished code run')];
  return listed('Withdrawn with it: ', ended);
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
