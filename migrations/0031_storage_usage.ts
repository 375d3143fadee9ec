import type { Knex } from 'knex';

/** The counted bytes of each table. */
const COUNTED = {
  kv_entries: { content: 'octet_length(value::text)', name: 'octet_length(key)' },
  stored_files: { content: 'octet_length(content)', name: 'octet_length(path)' },
} as const;

/** Added for every entry, so that empty entries are not free. */
const ENTRY_BYTES = 128;

const TABLES = Object.entries(COUNTED).map(([table, { content, name }]) => {
  const sizes = (sign: 1 | -1) => `org_id, ${sign} * (${content})::bigint as content, ${sign} * (${name} + ${ENTRY_BYTES})::bigint as name`;
  return { table, sizes };
});

/**
 * Counts the bytes of each organization in files and key-value entries. The setting
 * `gateway.storage_quota` limits the bytes of contents, and separately of names.
 * Exceeding a limit raises SQLSTATE SQ001. Without the setting, there is no limit.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table storage_usage (
      org_id uuid primary key references orgs on delete cascade,
      content_bytes bigint not null,
      name_bytes bigint not null
    ) with (fillfactor = 50);

    create function change_storage_usage(changed_org uuid, content bigint, name bigint) returns void language plpgsql as $$
      declare
        quota bigint := nullif(current_setting('gateway.storage_quota', true), '')::bigint;
        used storage_usage;
      begin
        update storage_usage set content_bytes = content_bytes + content, name_bytes = name_bytes + name
          where org_id = changed_org returning * into used;
        -- When an organization is deleted, its count may be deleted before its entries.
        if not found and content >= 0 and name >= 0 then
          insert into storage_usage values (changed_org, content, name)
            on conflict (org_id) do update
              set content_bytes = storage_usage.content_bytes + content, name_bytes = storage_usage.name_bytes + name
            returning * into used;
        end if;
        if (content > 0 and used.content_bytes > quota) or (name > 0 and used.name_bytes > quota) then
          raise exception 'the storage quota of the organization is used up' using errcode = 'SQ001';
        end if;
      end
    $$;
  `);
  for (const { table, sizes } of TABLES) {
    await knex.raw(`lock table ${table} in share row exclusive mode`);
    for (const { event, referencing, rows } of [
      { event: 'insert', referencing: 'new table as added', rows: `select ${sizes(1)} from added` },
      { event: 'delete', referencing: 'old table as removed', rows: `select ${sizes(-1)} from removed` },
      {
        event: 'update',
        referencing: 'old table as removed new table as added',
        rows: `select ${sizes(1)} from added union all select ${sizes(-1)} from removed`,
      },
    ]) {
      await knex.raw(`
        create function count_${table}_${event}() returns trigger language plpgsql as $$
          begin
            perform change_storage_usage(org_id, content, name) from (
              select org_id, sum(content)::bigint as content, sum(name)::bigint as name from (${rows}) changes group by org_id order by org_id
            ) totals where content <> 0 or name <> 0;
            return null;
          end
        $$;
        create trigger count_${event} after ${event} on ${table} referencing ${referencing}
          for each statement execute function count_${table}_${event}();
      `);
    }
  }
  const kept = TABLES.map(({ table, sizes }) => `select ${sizes(1)} from ${table}`).join(' union all ');
  await knex.raw(`
    insert into storage_usage select org_id, sum(content), sum(name) from (${kept}) kept group by org_id;

    alter table webhook_endpoints add column workspace_id uuid;
    update webhook_endpoints e set workspace_id = p.workspace_id from approval_policies p where p.id = e.policy_id;
  `);
}

export async function down(knex: Knex): Promise<void> {
  const functions = TABLES.flatMap(({ table }) => ['insert', 'delete', 'update'].map((event) => `count_${table}_${event}()`));
  await knex.raw(`
    drop function ${functions.join(', ')} cascade;
    drop function change_storage_usage(uuid, bigint, bigint);
    drop table storage_usage;
    alter table webhook_endpoints drop column workspace_id;
  `);
}
