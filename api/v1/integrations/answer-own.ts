import { z } from 'zod';
import type { OwnIntegration } from '../../../commands/integrations/get-own-integration.ts';
import { Answer } from '../../route.ts';
import { ownFacts, writeIntegration } from './present-own.ts';

export const one = {
  tag: 'Catalogue',
  path: '/api/v1/integrations/{name}',
  params: z.object({ name: z.string().describe('name of the integration') }),
} as const;

/** Error codes of each route that changes an integration. */
export const writeErrors = ['INTEGRATION_NOT_FOUND', 'SCOPE_DENIED', 'NOT_CUSTOM'] as const;

/**
 * Returns an answer with a custom integration and further fields. `written` holds JSON text in
 * pieces, by field name.
 */
export async function answer(
  status: number,
  own: OwnIntegration,
  more: object = {},
  written: Readonly<Record<string, readonly string[]>> = {},
): Promise<Answer> {
  const rest = JSON.stringify(more).slice(1, -1);
  const fields = Object.entries(written).flatMap(([name, pieces]) => [`,${JSON.stringify(name)}:`, ...pieces]);
  return new Answer(status, [
    ...['{"integration":', ...(await writeIntegration(own.entry, ownFacts(own)))],
    ...[rest === '' ? '' : `,${rest}`, ...fields, '}'],
  ]);
}
