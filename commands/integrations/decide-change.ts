import { integrationChangeActivity } from '../../domain/audit/change-activity.ts';
import type { CustomChange, CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';
import { GatewayError } from '../../domain/errors.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import { deleteUnusedDefinitions } from '../../store/custom-actions.ts';
import { endChanges, findChange } from '../../store/custom-changes.ts';
import { updateCustomIntegration } from '../../store/custom-integrations.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { Gateway } from '../gateway.ts';
import { applyChanges } from './apply-change.ts';
import { editOwnRecord } from './edit-own-record.ts';
import { type OwnIntegration, withEntry } from './get-own-integration.ts';
import { changeDigest } from './shown-change.ts';

export interface ChangeDecision {
  id: string;
  decision: 'accepted' | 'rejected';
  by: KeyPrincipal;
  reason?: string | undefined;
  /** `changeDigest` of the change as the decider has read it. */
  digest?: string | undefined;
}

/**
 * Accepts or rejects a change of a custom integration. An accepted change takes effect immediately.
 * Throws INTEGRATION_NOT_FOUND, CHANGE_NOT_FOUND, CHANGE_ALREADY_DECIDED, and CHANGE_CONFLICT if
 * `digest` names other content.
 */
export async function decideChange(
  gateway: Gateway,
  record: CustomIntegration,
  { id, decision, by, reason, digest }: ChangeDecision,
): Promise<OwnIntegration & { change: CustomChange }> {
  const { change, updated } = await editOwnRecord(gateway, record, async (tx, current) => {
    const stored = await findChange(tx, current.id, id);
    if (!stored) throw new GatewayError('CHANGE_NOT_FOUND', 'The integration has no such change.');
    if (digest !== undefined && stored.status === 'pending' && digest !== changeDigest(stored, current.head))
      throw new GatewayError('CHANGE_CONFLICT', 'The change is not the one that the digest names. Read it again.');
    const [decided] = await endChanges(tx, [id], { status: decision, decidedById: by.id, ...(reason !== undefined && { reason }) });
    if (!decided) throw new GatewayError('CHANGE_ALREADY_DECIDED', `This change is ${stored.status} already.`, { status: stored.status });
    const fields = decision === 'accepted' ? { head: await applyChanges(tx, current, [stored]), version: current.version + 1 } : {};
    const updated = await updateCustomIntegration(tx, current.id, fields);
    await deleteUnusedDefinitions(tx, current.id);
    await recordActivity(tx, integrationChangeActivity(updated, decided, actorOf(by)));
    return { change: decided, updated };
  });
  return { ...(await withEntry(gateway, updated)), change };
}
