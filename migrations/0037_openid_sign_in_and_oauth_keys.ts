import type { Knex } from 'knex';

/**
 * Adds sign-in at an OpenID provider, replaceable keys of the authorization server, and request
 * limits that all processes share (contract decisions 8).
 * `authenticated_at`: null if the provider did not state the time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sign_in_sessions add column authenticated_at timestamptz default now();

    create table openid_sign_ins (
      browser_hash bytea primary key,
      next text not null,
      asks_anew boolean not null,
      expires_at timestamptz not null
    );
    create index openid_sign_ins_expired on openid_sign_ins (expires_at);

    create table oauth_keys (
      id uuid primary key default gen_random_uuid(),
      sealed_secret bytea not null,
      signs_from timestamptz not null
    );
    create index oauth_keys_by_start on oauth_keys (signs_from);

    create table request_counts (
      purpose text not null,
      source text not null,
      total int not null,
      ends_at timestamptz not null,
      primary key (purpose, source)
    );
    create index request_counts_ended on request_counts (ends_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table request_counts, oauth_keys, openid_sign_ins;
    alter table sign_in_sessions drop column authenticated_at;
  `);
}
