import { wipeUnusedWebhookSecrets } from '../store/webhook-endpoints.ts';
import type { Gateway } from './gateway.ts';

/** Wipes signing secrets that nothing will be signed with any more; says in the log that it could not, and throws nothing. */
export async function wipeWebhookSecrets({ db, logger }: Pick<Gateway, 'db' | 'logger'>): Promise<void> {
  try {
    const wiped = await wipeUnusedWebhookSecrets(db);
    if (wiped > 0) logger.info({ wiped }, 'webhooks: secrets of destinations that no policy names were wiped');
  } catch (error) {
    logger.warn({ error: String(error) }, 'webhooks: secrets not wiped now');
  }
}
