import { getEndUser } from '../../../../commands/end-users/get-end-user.ts';
import type { CountedEndUser } from '../../../../domain/end-user.ts';
import { notFound } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import type { Visit } from '../screen.ts';

/** Path of the list of people, below /app. */
export const PEOPLE = '/people';

/** The end user in the path. Throws NOT_FOUND. */
export async function personOf({ gateway, principal, params }: Visit): Promise<CountedEndUser> {
  const id = uuid.safeParse(params.id);
  if (!id.success) throw notFound();
  return getEndUser(gateway, principal, id.data);
}
