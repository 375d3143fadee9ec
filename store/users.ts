import type { Db } from '../infra/database.ts';

/** A person; the installation has one user per e-mail address. */
export interface User {
  id: string;
  email: string;
  displayName: string | null;
}

/** Finds or inserts the user with that address, ignoring case, and sets a given `displayName`. */
export async function upsertUser(db: Db, { email, displayName }: Pick<User, 'email' | 'displayName'>): Promise<User> {
  const { rows } = await db.raw(
    `insert into users (email, display_name) values (?, ?)
     on conflict (lower(email)) do update set display_name = coalesce(excluded.display_name, users.display_name)
     returning id, email, display_name as "displayName"`,
    [email, displayName],
  );
  return rows[0];
}

/** Inserts a user; undefined if that address, ignoring case, already has a user. */
export async function insertUser(db: Db, { email, displayName }: Pick<User, 'email' | 'displayName'>): Promise<User | undefined> {
  const { rows } = await db.raw(
    `insert into users (email, display_name) values (?, ?) on conflict (lower(email)) do nothing
     returning id, email, display_name as "displayName"`,
    [email, displayName],
  );
  return rows[0];
}
