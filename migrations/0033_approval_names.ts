import type { Knex } from 'knex';

/** Renames `subject_id` of the outbox to `approval_id`, and `told_at` to `announced_at`. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table outbox rename column subject_id to approval_id;
    alter index outbox_subject rename to outbox_approval;
    alter table approvals rename column told_at to announced_at;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table approvals rename column announced_at to told_at;
    alter index outbox_approval rename to outbox_subject;
    alter table outbox rename column approval_id to subject_id;
  `);
}
