import { wipeUnusedWebhookSecrets } from '../../store/webhook-endpoints.ts';
import type { Gateway } from '../gateway.ts';

/** Deletes signing secrets that are no longer used. Logs a failure instead of throwing. */
export async function wipeWebhookSecrets({ db, logger }: Pick<Gateway, 'db' | 'logger'>): Promise<void> {
  try {
    const wiped = await wipeUnusedWebhookSecrets(db);
    if (wiped > 0) logger.info({ wiped }, 'unused webhook secrets deleted');
  } catch (error) {
    logger.warn({ error: String(error) }, 'unused webhook secrets not deleted, retrying later');
  }
}
