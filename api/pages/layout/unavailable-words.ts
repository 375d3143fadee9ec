import type { GatewayError } from '../../../domain/errors.ts';

/** The unavailable part, and perhaps a remedy. */
const MESSAGE = /^(.+?)(?: right now)?\.(?:\s+(.+))?$/s;

/** The title and the sentence of a page that names the unavailable part of the service. */
export function unavailableWords({ message }: Pick<GatewayError, 'message'>): { title: string; sentence: string } {
  const [, title = message, sentence = 'Nothing changed. Wait a moment, then try again.'] = MESSAGE.exec(message) ?? [];
  return { title, sentence };
}
