import { addUser } from '../../commands/access/add-user.ts';
import { NAME_MAX_LENGTH } from '../../domain/limits.ts';
import { ORG_ROLES } from '../../domain/policies/policy.ts';
import { adminCommand } from './admin-command.ts';
import { getOrg } from './get-org.ts';
import { onDatabase } from './on-database.ts';
import { readEmail } from './read-email.ts';
import { readOptionalId, readOptions, requireOption, UsageError } from './read-options.ts';
import { systemOperator } from './system-operator.ts';

/** Adds a member to an organization, or changes a member's role. Prints JSON. */
export const command = adminCommand({
  read: (args) => {
    const string = { type: 'string' } as const;
    const { email, role, name, org } = readOptions(args, { email: string, role: string, name: string, org: string });
    return {
      email: readEmail('--email', email),
      role: readRole(requireOption('--role', role)),
      displayName: name === undefined ? null : readName(name),
      org: readOptionalId('--org', org),
    };
  },
  run: (config, { org: named, ...member }) =>
    onDatabase(config, async (db) => {
      const org = await getOrg(db, named);
      const { id, orgId, email, displayName, role } = await addUser(db, { orgId: org.id, ...member, by: systemOperator() });
      return JSON.stringify({ userId: id, orgId, email, displayName, role });
    }),
});

function readRole(text: string) {
  const role = ORG_ROLES.find((known) => known === text);
  if (role) return role;
  throw new UsageError(`--role: ${text} is not one of ${ORG_ROLES.join(', ')}.`);
}

function readName(text: string): string {
  if (text.trim() !== '' && text.length <= NAME_MAX_LENGTH) return text;
  throw new UsageError(`--name: a name has 1 to ${NAME_MAX_LENGTH} characters.`);
}
