import type { Db } from '../infra/database.ts';

/** A person with an e-mail address. The whole installation has one user per address. */
export interface User {
  id: string;
  email: string;
  displayName: string | null;
}

/**
 * Finds or inserts the user with that address, ignoring case. A given `displayName` replaces the
 * current name.
 */
export async function upsertUser(db: Db, { email, displayName }: Pick<User, 'email' | 'displayName'>): Promise<User> {
  const { rows } = await db.raw(
    `insert into users (email, display_name) values (?, ?)
     on conflict (lower(email)) do update set display_name = coalesce(excluded.display_name, users.display_name)
     returning id, email, display_name as "displayName"`,
    [email, displayName],
  );
  return rows[0];
}

/** Inserts a user. Returns undefined if that address, ignoring case, already has a user. */
export async function insertUser(db: Db, { email, displayName }: Pick<User, 'email' | 'displayName'>): Promise<User | undefined> {
  const { rows } = await db.raw(
    `insert into users (email, display_name) values (?, ?) on conflict (lower(email)) do nothing
     returning id, email, display_name as "displayName"`,
    [email, displayName],
  );
  return rows[0];
}
