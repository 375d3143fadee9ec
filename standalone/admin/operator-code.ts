import { refusalOf } from '../../commands/approvals/open-approval-link.ts';
import { issueOperatorCode } from '../../commands/approvals/operator-code.ts';
import { SetupError } from '../../infra/config.ts';
import { findTimedApproval } from '../../store/approvals.ts';
import { adminCommand } from './admin-command.ts';
import { getMember } from './get-member.ts';
import { onGateway } from './on-gateway.ts';
import { readEmail } from './read-email.ts';
import { readArguments, requireOption } from './read-options.ts';
import { systemOperator } from './system-operator.ts';

/**
 * Prints a code that confirms the signal `approve` in the Temporal UI, once and within ten minutes.
 */
export const command = adminCommand({
  read: (args) => {
    const { values, words } = readArguments(args, { as: { type: 'string' } }, 1);
    return {
      approvalId: requireOption('The ID of the approval', words[0]),
      as: values.as === undefined ? undefined : readEmail('--as', values.as),
    };
  },
  run: (config, { approvalId, as }) =>
    onGateway(config, async (gateway) => {
      const found = await findTimedApproval(gateway.db, approvalId);
      if (!found) throw new SetupError(`There is no approval ${approvalId}.`);
      const { approval, timeLeftMs } = found;
      if (approval.status !== 'pending') throw new SetupError(`${approvalId} is ${approval.status} already.`);
      if (timeLeftMs === 0) throw new SetupError(`The time to decide ${approvalId} is up.`);
      const person = as === undefined ? undefined : await getMember(gateway.db, approval.orgId, as);
      const refusal = person && refusalOf(approval, person);
      if (refusal) throw new SetupError(refusal);
      return issueOperatorCode(gateway, { approvalId, userId: person?.id ?? null, madeBy: systemOperator().id });
    }),
});
