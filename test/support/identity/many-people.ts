import type pg from 'pg';

/** Each has one live session and so many that are over, of which every third one idled out and the rest were revoked. */
const ENDED_SESSIONS = 9;
const AUDIT_ENTRIES = 20;

/** People with what they leave behind in some days: the newest row of each is live, and what is over is older. */
export async function addManyPeople(owner: pg.Pool, organizationId: string, count: number): Promise<void> {
  await owner.query(
    `with provider as (
        insert into org_idp_configs (id, tenant_id, generation, issuer, client_id, token_endpoint_auth, scopes, alg_allowlist,
            status, created_by)
          values (uuidv7(), $1, 1000, 'https://issuer.bench', 'sandgate', 'none', '{openid}', '{RS256}', 'staged', 'operator')
          returning id),
      people as materialized (
        select i, uuidv7(make_interval(secs => i - $2)) as user_id, uuidv7(make_interval(secs => i - $2)) as membership_id
          from generate_series(1, $2::int) i),
      accounts as (
        insert into users (id, tenant_id, email, email_normalized, email_verified, name, last_login_at)
          select user_id, $1, mail, mail, true, 'Person ' || i, now()
            from people, lateral (select 'person-' || i || '@example.com' as mail)),
      memberships as (
        insert into org_memberships (id, tenant_id, user_id, roles) select membership_id, $1, user_id, '{member}' from people),
      browsers as (
        insert into user_sessions (id, tenant_id, membership_id, user_id, session_token_sha256, idp_config_id, source_ip,
            user_agent, idle_expires_at, absolute_expires_at, revoked_at)
          select uuidv7(age), $1, membership_id, user_id, encode(sha256((user_id || 's' || k)::bytea), 'hex'), provider.id,
              '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
              case when k > 0 and k % 3 = 0 then now() - interval '1 hour' else now() + interval '8 hours' end,
              now() + interval '7 days', case when k > 0 and k % 3 > 0 then now() end
            from people, provider, generate_series(0, $3::int) k,
              lateral (select make_interval(hours => -12 * k, secs => i - $2) as age)),
      tokens as (
        insert into api_tokens (id, tenant_id, kind, membership_id, user_id, name, display_prefix, token_sha256, expires_at,
            revoked_at)
          select uuidv7(make_interval(days => -k, secs => i - $2)), $1, 'pat', membership_id, user_id, 'laptop', 'svc_pat_0000',
              encode(sha256((user_id || 't' || k)::bytea), 'hex'), now() + interval '90 days', case when k > 0 then now() end
            from people, generate_series(0, 1) k)
      insert into auth_audit_log (id, tenant_id, actor_kind, actor_id, source_ip, request_id, action, target, success, detail)
        select uuidv7(make_interval(hours => -12 * k, secs => i - $2)), $1, 'user', user_id, '192.0.2.1', gen_random_uuid(),
            case when k = $4 and i <= 20 then 'member.roles' when k % 10 = 1 then 'token.mint' else 'session.login' end,
            membership_id, not (k = $4 and i % 500 = 1), '{"user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}'
          from people, generate_series(1, $4::int) k`,
    [organizationId, count, ENDED_SESSIONS, AUDIT_ENTRIES],
  );
}
