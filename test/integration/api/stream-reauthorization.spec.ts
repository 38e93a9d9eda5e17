import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_TOKEN, startApi, type TestApi } from '../../support/api/api.js';
import { deactivate, signIn, type TestUser } from '../../support/api/users.js';
import { ask, newRun } from '../../support/gate/asked-approval.js';
import { until } from '../../support/time/until.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ SERVICE_SESSION_REAUTH_SECS: '1', SERVICE_TIMING_REAUTH_ANSWER_MS: '2000' });
});
afterAll(() => api.close());

type Kind = 'pat' | 'browser';
const KINDS: Kind[] = ['pat', 'browser'];

/** The header that carries the person's credential, and what takes it away. */
async function credentialOf(kind: Kind, user: TestUser): Promise<{ headers: Record<string, string>; revoke: string }> {
  if (kind === 'pat') {
    const revoke = 'update api_tokens set revoked_at = now() where user_id = $1';
    return { headers: { authorization: `Bearer ${user.token}` }, revoke };
  }
  const { cookie } = await signIn(api.db, user);
  return { headers: { cookie }, revoke: 'update user_sessions set revoked_at = now() where user_id = $1' };
}

const own = (sql: string, ...values: unknown[]) => api.database.owner.query(sql, values);

async function runOf(user: TestUser | null): Promise<string> {
  const { runId } = await newRun(api);
  await own('update sessions set invoked_by_user_id = $2 where id = $1', runId, user?.userId ?? null);
  return runId;
}

const say = (runId: string, ...texts: string[]): Promise<unknown> =>
  api.db.withTenant(api.organizationId, (tx) =>
    tx.append(
      runId,
      texts.map((text) => ({ actor: 'agent', type: 'agent.message', data: { role: 'assistant', text } })),
    ),
  );

/** An open stream: what it has brought, and how it ended. */
class Followed {
  text = '';
  end: 'open' | 'closed' | Error = 'open';

  private constructor(readonly abort: AbortController) {}

  static async open(runId: string, headers: Record<string, string>): Promise<Followed> {
    const followed = new Followed(new AbortController());
    const response = await fetch(`${api.url}/v1/sessions/${runId}/events/stream`, {
      headers,
      signal: followed.abort.signal,
    });
    expect(response.status).toBe(200);
    void followed.read(response.body as ReadableStream<Uint8Array>);
    return followed;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) this.text += chunk;
      this.end = 'closed';
    } catch (error) {
      this.end = error as Error;
    }
  }

  /** Resolves when the server closed the stream, cleanly. */
  async closed(): Promise<void> {
    expect(
      await until(
        () => this.end,
        (end) => end !== 'open',
      ),
    ).toBe('closed');
  }
}

// Each takes a second or more of waiting and has people of its own, so they run at once.
describe.each(KINDS)('a stream that a person follows by %s', (kind) => {
  it.concurrent('CP-283 being asked is no use of the credential', async () => {
    const user = await api.addUser('member');
    const runId = await runOf(user);
    const { headers } = await credentialOf(kind, user);
    const followed = await Followed.open(runId, headers);
    const table = kind === 'pat' ? 'api_tokens' : 'user_sessions';
    const seen = kind === 'pat' ? 'last_used_at' : 'last_seen_at, idle_expires_at';
    // A use of longer ago than a minute would be written again.
    await own(
      kind === 'pat'
        ? `update api_tokens set last_used_at = now() - interval '1 hour' where user_id = $1`
        : `update user_sessions set last_seen_at = now() - interval '1 hour' where user_id = $1`,
      user.userId,
    );
    const read = async (): Promise<unknown> =>
      (await own(`select ${seen} from ${table} where user_id = $1`, user.userId)).rows;
    const before = await read();
    await pause(2500);
    expect(followed.end).toBe('open');
    expect(await read()).toEqual(before);
    followed.abort.abort();
  });

  it.concurrent.each<[string, (user: TestUser, revoke: string) => Promise<unknown>]>([
    ['credential is revoked', (user, revoke) => own(revoke, user.userId)],
    ['membership ends', (user) => deactivate(api.db, user, 'membership')],
    ['account ends', (user) => deactivate(api.db, user, 'account')],
    [
      'credential runs out',
      (user) =>
        own(
          kind === 'pat'
            ? `update api_tokens set expires_at = now() - interval '1 second' where user_id = $1`
            : `update user_sessions set idle_expires_at = now() - interval '1 second' where user_id = $1`,
          user.userId,
        ),
    ],
  ])('CP-283 is closed when the %s, and brings nothing that comes later', async (_what, take) => {
    const user = await api.addUser('member');
    const runId = await runOf(user);
    const { headers, revoke } = await credentialOf(kind, user);
    const followed = await Followed.open(runId, headers);
    await say(runId, 'before');
    await until(
      () => followed.text,
      (text) => text.includes('before'),
    );
    await take(user, revoke);
    await followed.closed();
    await say(runId, 'afterwards');
    expect(followed.text).not.toContain('afterwards');
  });

  it.concurrent('CP-283 is closed when the roles of this moment do not show the run, and goes on while they do', async () => {
    const user = await api.addUser('approver');
    const [theirs, mine] = [await runOf(null), await runOf(user)];
    const { headers } = await credentialOf(kind, user);
    const [lost, kept] = [await Followed.open(theirs, headers), await Followed.open(mine, headers)];
    await own(`update org_memberships set roles = '{member}' where user_id = $1`, user.userId);
    await lost.closed();
    await say(mine, 'still mine');
    await until(
      () => kept.text,
      (text) => text.includes('still mine'),
    );
    expect(kept.end).toBe('open');
    kept.abort.abort();
  });
});

describe('streams', () => {
  it('CP-283 of people are closed when the database cannot be asked, and those of the operator go on', async () => {
    const user = await api.addUser('member');
    const runId = await runOf(user);
    const [person, operator] = [
      await Followed.open(runId, { authorization: `Bearer ${user.token}` }),
      await Followed.open(runId, { authorization: `Bearer ${ADMIN_TOKEN}` }),
    ];
    await own('alter function svc_read_live_roles(uuid, uuid) rename to svc_read_live_roles_away');
    try {
      await person.closed();
      await pause(1500);
      expect(operator.end).toBe('open');
    } finally {
      await own('alter function svc_read_live_roles_away(uuid, uuid) rename to svc_read_live_roles');
    }
    await say(runId, 'for the operator');
    await until(
      () => operator.text,
      (text) => text.includes('for the operator'),
    );
    operator.abort.abort();
  });

  it('CP-283 of people are closed when the database does not answer', async () => {
    const user = await api.addUser('member');
    const followed = await Followed.open(await runOf(user), { authorization: `Bearer ${user.token}` });
    const holder = await api.database.owner.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table org_memberships in access exclusive mode');
      await followed.closed();
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  it('CP-283 a client that does not read is cut off as well', async () => {
    const user = await api.addUser('member');
    const runId = await runOf(user);
    const page = Array.from({ length: 20 }, () => 'x'.repeat(30_000));
    for (let count = 0; count < 20; count += 1) await say(runId, ...page);
    const socket = await stalled(runId, user.token);
    await deactivate(api.db, user, 'membership');
    // A paused socket does not see its end, so the server is asked how many streams it holds.
    const streams = async (): Promise<number> => {
      const { text } = await api.get('/v1/admin/metrics');
      return Number(/^service_event_streams (\d+)$/m.exec(text)?.[1]);
    };
    expect(await until(streams, (open) => open === 1)).toBe(1);
    expect(await until(streams, (open) => open === 0)).toBe(0);
    socket.destroy();
  });

  it('a caller who waits for approvals and is deactivated meanwhile is told nothing', async () => {
    const user = await api.addUser('approver');
    const run = await newRun(api);
    const { token } = user;
    const { cursor } = (await api.get('/v1/approvals', { token })).body as unknown as { cursor: string };
    const waiting = api.get(`/v1/approvals?wait=30&cursor=${cursor}`, { token });
    await pause(300);
    await deactivate(api.db, user, 'membership');
    await ask(api, run, {});
    const answer = await waiting;
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }]);
  });
});

/** A client that opened a stream and reads nothing of it. */
async function stalled(runId: string, token: string): Promise<Socket> {
  const { port, hostname } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.pause();
  socket.write(
    `GET /v1/sessions/${runId}/events/stream HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  await pause(500);
  return socket;
}
