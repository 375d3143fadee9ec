import { APPROVAL_STATUSES, type ApprovalStatus, type Decision } from '../../domain/approval.ts';
import { DECISION_REASON_MAX_LENGTH, PAGE } from '../../domain/limits.ts';
import type { Config } from '../../infra/config.ts';
import { adminCommand } from './admin-command.ts';
import { readApprovalCursor } from './approval-cursor.ts';
import { decideForOperator, linkForMember, listForOperator, showForOperator } from './operator-approvals.ts';
import { readEmail } from './read-email.ts';
import { readArguments, readOptionalId, requireOption, UsageError } from './read-options.ts';

/** Lists, shows and decides approvals. */
export const command = adminCommand({
  read: ([first, ...rest]): Work => {
    const verb = VERBS.get(first ?? 'list');
    if (verb) return verb(rest);
    if (first?.startsWith('-')) return readList([first, ...rest]);
    throw new UsageError(`approvals: ${first} is not a known operation. The operations are: list, show, approve, reject, cancel, link.`);
  },
  run: (config, work) => work(config),
});

type Work = (config: Config) => Promise<string>;

const STRING = { type: 'string' } as const;
const JSON_OPTION = { json: { type: 'boolean' } } as const;

const VERBS = new Map<string, (args: string[]) => Work>([
  ['list', readList],
  ['show', readShow],
  ['approve', readDecision('approve')],
  ['reject', readDecision('reject')],
  ['cancel', readDecision('cancel')],
  ['link', readLink],
]);

function readList(args: string[]): Work {
  const { values } = readArguments(args, { org: STRING, status: STRING, limit: STRING, cursor: STRING, ...JSON_OPTION }, 0);
  const list = {
    org: readOptionalId('--org', values.org),
    status: readStatus(values.status),
    limit: readLimit(values.limit),
    after: values.cursor === undefined ? undefined : readApprovalCursor(values.cursor),
  };
  return (config) => listForOperator(config, list, values.json ?? false);
}

function readShow(args: string[]): Work {
  const { values, words } = readArguments(args, JSON_OPTION, 1);
  const id = readApprovalId(words);
  return (config) => showForOperator(config, id, values.json ?? false);
}

function readLink(args: string[]): Work {
  const { values, words } = readArguments(args, { as: STRING }, 1);
  const id = readApprovalId(words);
  const email = readEmail('--as', values.as);
  return (config) => linkForMember(config, id, email);
}

function readDecision(decision: Decision): (args: string[]) => Work {
  return (args) => {
    const { values, words } = readArguments(args, { reason: STRING, as: STRING, ...JSON_OPTION }, 1);
    const approvalId = readApprovalId(words);
    const as = values.as === undefined ? undefined : readEmail('--as', values.as);
    const asked = { approvalId, decision, as, reason: readReason(values.reason) };
    return (config) => decideForOperator(config, asked, values.json ?? false);
  };
}

function readApprovalId([id]: string[]): string {
  return requireOption('The ID of the approval', id);
}

function readStatus(text: string | undefined): ApprovalStatus | undefined {
  const status = APPROVAL_STATUSES.find((known) => known === text);
  if (text === undefined || status) return status;
  throw new UsageError(`--status: ${text} is not one of ${APPROVAL_STATUSES.join(', ')}.`);
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? PAGE.default : Number(text);
  if (Number.isInteger(limit) && limit >= PAGE.min && limit <= PAGE.max) return limit;
  throw new UsageError(`--limit: ${text} is not a number between ${PAGE.min} and ${PAGE.max}.`);
}

function readReason(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= DECISION_REASON_MAX_LENGTH) return text || undefined;
  throw new UsageError(`--reason: at most ${DECISION_REASON_MAX_LENGTH} characters.`);
}
