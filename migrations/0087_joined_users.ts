import type { Knex } from 'knex';

/** Adds the time when a user first signed in. It remains when a membership is removed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table users add column joined_at timestamptz');
  await knex.raw(`update users u set joined_at = s.first from (
    select user_id, min(at) as first from (
      select user_id::text, joined_at as at from memberships where joined_at is not null
      union all select actor_id, created_at from activity where type = 'member.signed_in' and actor_type = 'user'
    ) sign_ins group by user_id
  ) s where u.id::text = s.user_id`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column joined_at');
}
