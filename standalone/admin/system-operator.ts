import { userInfo } from 'node:os';
import type { Actor } from '../../domain/approval.ts';

/** Who runs a command here: an operator by the name of the system's user; null where it has no name, as in some containers. */
export function systemOperator(): Actor {
  try {
    return { type: 'operator', id: userInfo().username };
  } catch {
    return { type: 'operator', id: null };
  }
}
