import { getConnection } from '../../../../commands/connections/get-connection.ts';
import type { ListedConnection } from '../../../../store/connections.ts';
import { notFound } from '../../../route.ts';
import { uuid } from '../../../schemas.ts';
import type { Visit } from '../screen.ts';

/** The connection in the path. Throws NOT_FOUND or CONNECTION_NOT_FOUND. */
export async function connectionOf({ gateway, principal, params }: Visit): Promise<ListedConnection> {
  const id = uuid.safeParse(params.id);
  if (!id.success) throw notFound();
  return getConnection(gateway, principal, id.data);
}
