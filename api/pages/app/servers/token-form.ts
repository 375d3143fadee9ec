import { z } from 'zod';
import type { Gateway } from '../../../../commands/gateway.ts';
import { NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { authFlags, type McpServer } from '../../../../domain/mcp-server.ts';
import { findEndUser, listEndUsers } from '../../../../store/end-users.ts';
import { endUserId } from '../../../schemas.ts';
import type { Field, FormSpec } from '../form.ts';
import { SERVERS } from './server-of.ts';

/** Maximum number of listed people. If a workspace has more, the member types an external id. */
const MAX_LISTED = 200;
const DAYS = ['1', '7', '30', '90'] as const;
const DAY_SECONDS = 86_400;

/** The schema of "New token". */
export const tokenForm = z.strictObject({
  person: endUserId,
  days: z.enum(DAYS).transform((days) => Number(days) * DAY_SECONDS),
});

/** The people that a token may name; `many` if there are too many people to list. */
export async function personOptions({ db }: Gateway, server: McpServer): Promise<NonNullable<Field['options']> | 'many'> {
  const { orgId, workspaceId } = server;
  if (server.endUserId !== null) {
    const person = await findEndUser(db, orgId, server.endUserId);
    return person ? [optionOf(person)] : [];
  }
  const { items, total } = await listEndUsers(db, { orgId, workspaceId }, { limit: MAX_LISTED, offset: 0 });
  return total > MAX_LISTED ? 'many' : items.map(optionOf);
}

function optionOf({ id, externalId, displayName }: { id: string; externalId: string; displayName: string | null }) {
  return { value: id, label: displayName === null ? externalId : `${displayName} (${externalId})` };
}

/** The form "New token". */
export function tokenSpec(server: McpServer, people: Awaited<ReturnType<typeof personOptions>>): FormSpec {
  const person: Pick<Field, 'name' | 'label'> = { name: 'person', label: 'Person' };
  const hint = 'Calls with the token use the accounts of this person.';
  return {
    title: 'New token',
    fields: [
      people === 'many'
        ? { ...person, kind: 'text', maxLength: NAME_MAX_LENGTH, hint: `The external id of the person. ${hint}` }
        : { ...person, kind: 'select', options: people, hint: people.length === 0 ? 'The workspace has no people yet.' : hint },
      {
        ...{ name: 'days', label: 'Works for', kind: 'select', value: '30' },
        options: DAYS.map((value) => ({ value, label: value === '1' ? '1 day' : `${value} days` })),
      },
    ],
    button: 'Create token',
    cancel: `${SERVERS}/${server.id}`,
    blames: { END_USER_NOT_FOUND: { field: 'person', problem: 'is not a person whom this server may serve' } },
  };
}

/** A bearer token if the server allows such tokens, else OAuth. */
export function tokenKindOf({ authMode }: McpServer): 'end_user' | 'oauth' {
  return authFlags(authMode).endUserBearerTokensEnabled ? 'end_user' : 'oauth';
}
