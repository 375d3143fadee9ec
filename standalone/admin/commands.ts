import { addMember } from './add-user.ts';
import type { AdminCommand } from './admin-command.ts';
import { approvals } from './approvals.ts';
import { createKey } from './create-key.ts';
import { createOrganization } from './create-org.ts';
import { databaseUrl } from './database-url.ts';
import { listUsers } from './list-users.ts';
import { removeUser } from './remove-user.ts';
import { revokeReceipts } from './revoke-receipt-key.ts';
import { rotateEncryption } from './rotate-encryption-key.ts';
import { rotateReceipts } from './rotate-receipt-key.ts';
import { verifyAudit } from './verify-audit.ts';

/** Every command of the admin command line, in the order of its usage; docs/running.md has a row for each. */
export const ADMIN_COMMANDS: readonly AdminCommand[] = [
  createKey,
  createOrganization,
  addMember,
  listUsers,
  removeUser,
  approvals,
  databaseUrl,
  rotateEncryption,
  rotateReceipts,
  revokeReceipts,
  verifyAudit,
];
