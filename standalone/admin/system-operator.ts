import type { Actor } from '../../domain/approval.ts';
import { systemUser } from '../system-user.ts';

/** The operator who runs a command, named after the system user. */
export function systemOperator(): Actor {
  return { type: 'operator', id: systemUser() };
}
