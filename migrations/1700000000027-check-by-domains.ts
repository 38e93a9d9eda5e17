import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The rules for columns that every gated call writes, as domains instead of table checks: PostgreSQL reads and plans a table's
 * checks anew in each statement and keeps those of a domain ready. The rules themselves are the same.
 */
export class CheckByDomains1700000000027 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create domain svc_event_actor as text check (value in ('agent', 'system', 'human', 'harness'));
      create domain svc_sha256 as bytea check (octet_length(value) = 32);
      create domain svc_event_seq as bigint check (value > 0);
      alter table events
        drop constraint events_actor_check,
        drop constraint events_seq_check,
        drop constraint events_body_digest_check,
        drop constraint events_hash_check,
        alter column actor type svc_event_actor,
        alter column seq type svc_event_seq,
        alter column body_digest type svc_sha256,
        alter column hash type svc_sha256;

      create domain svc_approval_status as text check (value in ('intent', 'auto_allowed', 'auto_denied', 'pending',
        'approved_once', 'approved_session', 'denied', 'expired'));
      create domain svc_approval_scope as text check (value in ('once', 'session'));
      alter table approvals
        drop constraint approvals_status_check,
        drop constraint approvals_scope_check,
        alter column status type svc_approval_status,
        alter column scope type svc_approval_scope;`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('migrations go forward only'));
  }
}
