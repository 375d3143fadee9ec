import type { Actor } from '../../domain/approval.ts';
import { systemUser } from '../system-user.ts';

/**
 * The operator who runs a command. `id`: the name of the system user, or null if the user has none.
 */
export function systemOperator(): Actor {
  return { type: 'operator', id: systemUser() };
}
