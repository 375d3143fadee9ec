import type { GatewayError } from '../../../domain/errors.ts';

/** A message of UNAVAILABLE: what is away, and often what to do. */
const MESSAGE = /^(.+?)(?: right now)?\.(?:\s+(.+))?$/s;

/** The title and the sentence of a page that says which part of the service is away. */
export function unavailableWords({ message }: Pick<GatewayError, 'message'>): { title: string; sentence: string } {
  const [, title = message, sentence = 'Nothing changed. Wait a moment, then try again.'] = MESSAGE.exec(message) ?? [];
  return { title, sentence };
}
