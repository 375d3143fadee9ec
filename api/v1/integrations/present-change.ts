import type { ShownChange } from '../../../commands/integrations/refresh-own-integration.ts';
import { changeDigest, shownFields } from '../../../commands/integrations/shown-change.ts';
import type { CustomIntegration } from '../../../domain/custom-integrations/custom-integration.ts';
import { breathe } from '../../../infra/event-loop/breathe.ts';

/**
 * Presents a change. `digest` is null if the change is shown in part. Only readers of the whole
 * change get a digest.
 */
export function presentChange(change: ShownChange, { head }: Pick<CustomIntegration, 'head'>): object {
  const { id, kind, actionName, status, isComplete, detectedAt, detectedBy, decidedAt, decidedById, reason } = change;
  return {
    ...{ id, kind, actionName, status, ...shownFields(change, head), complete: isComplete },
    digest: isComplete ? changeDigest(change, head) : null,
    ...{ detectedAt, detectedBy, decidedAt, decidedById, reason },
  };
}

/** Returns changes as JSON text in pieces. */
export async function writeChanges(changes: readonly ShownChange[], record: Pick<CustomIntegration, 'head'>): Promise<string[]> {
  const pieces: string[] = [];
  for (const change of changes) {
    pieces.push(`${pieces.length === 0 ? '' : ','}${JSON.stringify(presentChange(change, record))}`);
    await breathe();
  }
  return ['[', ...pieces, ']'];
}
