import { userInfo } from 'node:os';
import type { Actor } from '../../domain/approval.ts';

/**
 * The operator who runs a command. `id`: the name of the system user, or null if the user has no
 * name, as in some containers.
 */
export function systemOperator(): Actor {
  try {
    return { type: 'operator', id: userInfo().username };
  } catch {
    return { type: 'operator', id: null };
  }
}
