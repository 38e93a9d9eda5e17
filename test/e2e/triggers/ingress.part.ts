import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { sign } from '@octokit/webhooks-methods';
import { v7 as uuidv7 } from 'uuid';
import type { Schemas } from '../../../src/client/client.js';
import type { CodeHost } from '../../support/codehost/code-host.js';
import { RestApi } from '../../support/codehost/rest-api.js';
import type { LiveStack, Part } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { IS_NIGHTLY } from '../../support/nightly/nightly.js';
import { githubPullRequest } from '../../support/webhooks/payloads.js';
import { git } from '../workspace/support.js';

const TOKEN = 'ghp_personal0123456789';
const SECRET = 'a-webhook-secret-of-the-connection';
/** What the agent of every run does; a fork's is refused the first two. */
const STEPS = [
  { tool: 'Write', input: { file_path: '/workspace/new.txt', content: 'hello\n' } },
  { tool: 'Bash', input: { command: 'cat a.txt; rm -rf /workspace/a.txt' } },
  { tool: 'Read', input: { file_path: '/workspace/a.txt' } },
  { say: 'done' },
];
/** What is killed; all parts by the nightly campaign, and right after each webhook was stored by faults/webhook-to-comment. */
const KILLS: readonly Part[] = IS_NIGHTLY ? ['api', 'worker', 'temporal', 'postgres'] : ['api'];
const PATIENCE_MS = 120_000;

interface Dispatch {
  session_id: string | null;
  status: string;
  skip_reason: string | null;
}

/** Webhooks of a live installation. */
export function takesWebhooks(enter: EnterStack, hostOf: () => CodeHost): void {
  let stack: LiveStack;
  let database: StackDatabase;
  let folder: string;
  let connectionId: string;
  let head: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'reviewed-'));
    writeFileSync(join(folder, 'a.txt'), 'one\n');
    git(folder, ['init', '-q']);
    git(folder, ['add', '-A']);
    git(folder, ['commit', '-q', '-m', 'x']);
    head = git(folder, ['rev-parse', 'HEAD']).trim();
    const host = hostOf();
    host.publish(folder, 'acme/shop');
    const rest = new RestApi(host.tokens);
    host.interfere = [rest.serve];
    rest.addAccount(TOKEN, { id: 1, login: 'octo', scopes: 'repo' });
    stack = await enter();
    database = StackDatabase.of(stack);
    await stack.createReplayAgent('reviewer', 'unrestricted');
    const body = { provider: 'codehost', token: TOKEN, webhook_secret: SECRET };
    connectionId = (await stack.json<{ id: string }>('POST', '/v1/connections', body)).id;
    await database.query(
      `insert into trigger_subscriptions (id, tenant_id, agent_id, name, trigger_kind, task_template, connection_id,
         repositories, events, publish)
       select $1, tenant_id, id, 'review', 'event', $2, $3, '{}', '{pull_request.opened}', '{}'
         from agents where name = 'reviewer'`,
      [uuidv7(), JSON.stringify(STEPS), connectionId],
    );
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Sends a pull request as a host does, again and again under its id until it is taken. @returns the id of the delivery */
  async function send(of: { fork?: boolean; delivery?: string } = {}): Promise<string> {
    const payload = githubPullRequest({ sha: head, title: uuidv7(), fork: of.fork === true });
    const text = JSON.stringify(payload);
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': of.delivery ?? uuidv7(),
      'x-hub-signature-256': await sign(SECRET, text),
    };
    return stack.until('the webhook to be taken', PATIENCE_MS, async () => {
      const request = { method: 'POST', headers, body: text, signal: AbortSignal.timeout(10_000) };
      const answer = await fetch(`${stack.url}/v1/ingress/codehost/${connectionId}`, request).catch(() => undefined);
      if (answer !== undefined && answer.status < 500 && !answer.ok)
        throw new Error(`${answer.status}: ${await answer.text()}`);
      return answer?.ok === true ? ((await answer.json()) as { delivery_id: string }).delivery_id : undefined;
    });
  }

  const dispatchOf = (deliveryId: string): Promise<Dispatch> =>
    stack.until(`what comes of ${deliveryId}`, PATIENCE_MS, async () => {
      const [dispatch] = await database.query<Dispatch>('select * from trigger_dispatches where delivery_id = $1', [
        deliveryId,
      ]);
      return dispatch;
    });

  async function runOf(deliveryId: string): Promise<string> {
    const { status, session_id: id, skip_reason: reason } = await dispatchOf(deliveryId);
    if (status !== 'created' || id === null) throw new Error(`${status}: ${reason}`);
    return id;
  }

  it('CP-049 CP-108 a pull request leads to a run on its head commit', async () => {
    const delivery = await send();
    const run = await runOf(delivery);
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed', base_commit: head });
    const { session } = await stack.json<{ session: Schemas['SessionView'] }>('GET', `/v1/sessions/${run}`);
    expect(session).toMatchObject({
      trust_tier: 'trusted',
      repo_source: { checkout_mode: 'writable_copy', commit_sha: head },
    });
    const allowed = eventsOf(await stack.timeline(run), 'tool.decision').map(({ verdict }) => verdict);
    expect(allowed).toEqual(['allow', 'allow', 'allow']);
    const client = new Client({
      connection: await Connection.connect({ address: stack.installation.temporalAddress }),
    });
    try {
      const workflow = await client.workflow.getHandle(`ingress-event-${delivery}`).describe();
      expect(workflow.status.name).toBe('COMPLETED');
    } finally {
      await client.connection.close();
    }
  }, 180_000);

  it("proof 27 CP-318 a fork's agent can read its commit and change nothing", async () => {
    const run = await runOf(await send({ fork: true }));
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed', base_commit: head });
    const decisions = eventsOf(await stack.timeline(run), 'tool.decision').map(({ verdict, source }) => [
      verdict,
      source,
    ]);
    expect(decisions).toEqual([
      ['deny', 'trust_tier'],
      ['deny', 'trust_tier'],
      ['allow', expect.any(String)],
    ]);
    const { session } = await stack.json<{ session: Schemas['SessionView'] }>('GET', `/v1/sessions/${run}`);
    expect(session).toMatchObject({
      trust_tier: 'read_only',
      run_spec: { network: { mode: 'offline' }, workspace: { checkout_mode: 'read_only' } },
    });
  }, 180_000);

  it.each(KILLS)(
    'kill -9 of %s right after webhooks were taken loses none and doubles none',
    async (part) => {
      const deliveries = await Promise.all([send(), send()]);
      stack.kill(part);
      // One comes while the part is away.
      deliveries.push(await send());
      for (const delivery of deliveries) await dispatchOf(delivery);
      const [row] = await database.query<{ runs: number; created: number; all: number }>(
        `select count(distinct x.session_id)::int as runs, count(*) filter (where x.status = 'created')::int as created,
              count(*)::int as all from trigger_dispatches x where x.delivery_id = any ($1)`,
        [deliveries],
      );
      expect(row).toEqual({ runs: 3, created: 3, all: 3 });
      const [started] = await database.query<{ runs: number }>(
        `select count(*)::int as runs from sessions where trigger ->> 'external_event_id' in
         (select external_event_id from trigger_deliveries where id = any ($1))`,
        [deliveries],
      );
      expect(started).toEqual({ runs: 3 });
      for (const delivery of deliveries) await stack.untilTerminal(await runOf(delivery));
    },
    300_000,
  );

  it('maintenance starts the workflow of a stored webhook that lost it', async () => {
    const [original] = await database.query<{ id: string }>('select id from trigger_deliveries order by id limit 1');
    const lost = uuidv7();
    await database.query(
      `insert into trigger_deliveries (id, tenant_id, connection_id, external_event_id, event_type, payload, payload_digest, event, received_at)
       select $1, tenant_id, connection_id, 'lost', event_type, payload, payload_digest, event, clock_timestamp() - interval '1 hour'
         from trigger_deliveries where id = $2`,
      [lost, original?.id],
    );
    const run = await runOf(lost);
    await stack.untilTerminal(run);
    const [row] = await database.query<{ handled: boolean }>(
      'select handled_at is not null as handled from trigger_deliveries where id = $1',
      [lost],
    );
    expect(row).toEqual({ handled: true });
  }, 180_000);
}
