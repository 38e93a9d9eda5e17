import { join } from 'node:path';
import pg from 'pg';
import { SANDBOX_UID_COUNT } from '../../../src/core/hosts/sandbox-uids.js';
import type { LiveStack } from './live-stack.js';
import { SANDBOX_UID_BASE } from './own-place.js';
import { isAway, poolOfOwner } from './run-states.js';

/** A server that a test has killed is started again by the installation. */
const RESTARTED_WITHIN_MS = 60_000;

/** The database of a live installation, with the rights of its owner, whom row-level isolation does not bind. */
export class StackDatabase {
  private readonly pool: pg.Pool;

  private constructor(private readonly stack: LiveStack) {
    this.pool = poolOfOwner(join(stack.dataDir, 'pg'));
  }

  static of(stack: LiveStack): StackDatabase {
    return new StackDatabase(stack);
  }

  /**
   * One statement, which has its connection to itself: a server that is killed meanwhile concerns no other. Made again while the server
   * is away: it may be dying still when a test has killed it.
   */
  async query<R extends object>(sql: string, params: unknown[] = []): Promise<R[]> {
    const result = await this.stack.until('the database', RESTARTED_WITHIN_MS, () =>
      this.pool.query<R>(sql, params).catch((cause: unknown) => {
        if (!isAway(cause)) throw cause;
        return undefined;
      }),
    );
    return result.rows;
  }

  /** A connection that its caller ends. */
  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({ host: join(this.stack.dataDir, 'pg'), user: 'sandgate', database: 'sandgate' });
    // The statement also reports what broke the connection.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /**
   * Nobody can write to the table while `work` goes on, so that a process is met in the middle of a transaction that does. A server
   * that is killed meanwhile has let go of the table.
   *
   * @param work given a function that waits until an insert into the table is held up
   */
  async whileHeld(table: string, work: (untilWaitedFor: () => Promise<unknown>) => Promise<unknown>): Promise<void> {
    const holder = await this.stack.until('the database', RESTARTED_WITHIN_MS, () =>
      this.connect().catch((cause: unknown) => {
        if (!isAway(cause)) throw cause;
        return undefined;
      }),
    );
    try {
      await holder.query(`begin; lock table ${table} in exclusive mode`);
      await work(() =>
        this.stack.until(`an insert into ${table} to wait`, RESTARTED_WITHIN_MS, async () => {
          const waiting = await this.query(WAITING_INSERTS, [table]);
          return waiting.length > 0 ? true : undefined;
        }),
      );
    } finally {
      await holder.end();
    }
  }

  /** What the counters say against what the runs say; equal when nothing drifted. */
  async capacity(): Promise<{ counted: number; held: number }> {
    const [row] = await this.query<{ counted: number; held: number }>(
      `select (select active from capacity_counters where scope = 'deployment') as counted,
              (select count(*)::int from sessions where capacity_held) as held`,
    );
    return row ?? { counted: -1, held: -1 };
  }

  /** Every uid of the host is taken until the returned function is called. Runs that ended give theirs back first. */
  async fillHost(): Promise<() => Promise<void>> {
    await this.stack.until('the uids of ended runs to be free', 60_000, async () =>
      (await this.query('select 1 from sandbox_uids limit 1')).length === 0 ? true : undefined,
    );
    const taken = await this.query<{ session_id: string }>(
      `insert into sandbox_uids (uid, host_id, session_id)
       select uid, hosts.id, gen_random_uuid() from hosts, generate_series($1::int, $1 + $2::int - 1) uid
       on conflict do nothing returning session_id`,
      [SANDBOX_UID_BASE, SANDBOX_UID_COUNT],
    );
    const ids = taken.map((row) => row.session_id);
    return async () => {
      await this.query('delete from sandbox_uids where session_id = any ($1)', [ids]);
    };
  }

  /**
   * Runs of further organizations, copied from one that exists, all queued at the same time and each started by its wake-up.
   * @returns the ids of the organizations
   */
  async copyRun(template: string, organizations: number, runsEach: number): Promise<string[]> {
    const [given] = await this.query<{ columns: string }>(GIVEN_COLUMNS);
    const copy = copyRunSql(given?.columns ?? '');
    const rows = await this.query<{ organization: string }>(copy, [template, organizations, runsEach]);
    return rows.map((row) => row.organization);
  }
}

const WAITING_INSERTS = `
  select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.relation = $1::text::regclass and not l.granted and a.query ilike 'insert%'`;

const COPIED = `'{"status": "created", "status_reason": null, "sandbox_handle": null, "base_commit": null, "host_id": null,
  "capacity_held": false, "queued_at": null, "admitted_at": null, "started_at": null, "finished_at": null,
  "result_summary": null, "launch_attempts": 0, "launch_faults": 0}'::jsonb`;

/** The columns of a run that the database does not compute itself. */
const GIVEN_COLUMNS = `
  select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
  where attrelid = 'sessions'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;

const copyRunSql = (columns: string): string => `
  with template as (select * from sessions where id = $1),
  organization as (
    insert into tenants (id, slug, name)
    select gen_random_uuid(), slug, slug
      from (select 'copy-' || n || '-' || substr($1::text, 25) as slug from generate_series(1, $2::int) n) returning id
  ), fresh as materialized (
    select id as organization, gen_random_uuid() as agent, gen_random_uuid() as revision, gen_random_uuid() as policy
    from organization
  ), policy as (
    insert into policies
    select (jsonb_populate_record(null::policies, to_jsonb(p) || jsonb_build_object('id', f.policy, 'tenant_id', f.organization))).*
    from fresh f, template t join agent_revisions r on r.id = t.agent_revision_id join policies p on p.id = r.policy_id
    returning id
  ), agent as (
    insert into agents
    select (jsonb_populate_record(null::agents, to_jsonb(a) || jsonb_build_object('id', f.agent, 'tenant_id', f.organization))).*
    from fresh f, template t join agents a on a.id = t.agent_id returning id
  ), revision as (
    insert into agent_revisions
    select (jsonb_populate_record(null::agent_revisions, to_jsonb(r) || jsonb_build_object('id', f.revision,
      'tenant_id', f.organization, 'agent_id', f.agent, 'policy_id', f.policy))).*
    from fresh f, template t join agent_revisions r on r.id = t.agent_revision_id returning id
  ), session as (
    insert into sessions (${columns})
    select ${columns} from (
      select (jsonb_populate_record(null::sessions, to_jsonb(t) || ${COPIED} || jsonb_build_object('id', gen_random_uuid(),
        'tenant_id', f.organization, 'agent_id', f.agent, 'agent_revision_id', f.revision, 'created_at', clock_timestamp()))).*
      from template t, fresh f, generate_series(1, $3::int) n
    ) copied returning id, tenant_id
  ), head as (
    insert into session_heads (session_id, tenant_id) select id, tenant_id from session returning session_id
  ), outbox as (
    insert into driver_outbox (tenant_id, subject_id, kind) select tenant_id, id, 'created' from session returning id
  )
  select organization from fresh`;
