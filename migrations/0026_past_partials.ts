import type { Knex } from 'knex';

/**
 * Keeps the former values of a partial (preset inputs) that has enforced values, so that the
 * history of older runs still hides them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table past_partials (
      org_id uuid not null,
      workspace_id uuid not null,
      hash text not null,
      "values" json not null,
      enforced_keys text[] not null,
      retired_at timestamptz not null,
      primary key (workspace_id, hash),
      foreign key (org_id, workspace_id) references workspaces (org_id, id) on delete cascade
    );
    create index past_partials_retired on past_partials (workspace_id, retired_at);
    create function keep_past_partial() returns trigger language plpgsql as $$
    begin
      if cardinality(old.enforced_keys) = 0 or not exists (select from workspaces where id = old.workspace_id) then
        return null;
      end if;
      if tg_op = 'UPDATE' and old."values"::text = new."values"::text and old.enforced_keys = new.enforced_keys then
        return null;
      end if;
      insert into past_partials (org_id, workspace_id, hash, "values", enforced_keys, retired_at)
        values (old.org_id, old.workspace_id, encode(sha256(convert_to(old."values"::text || old.enforced_keys::text, 'UTF8')), 'hex'),
          old."values", old.enforced_keys, clock_timestamp())
        on conflict (workspace_id, hash) do update set retired_at = excluded.retired_at;
      return null;
    end $$;
    create trigger partials_past after update or delete on partials for each row execute function keep_past_partial();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop trigger partials_past on partials; drop function keep_past_partial; drop table past_partials');
}
