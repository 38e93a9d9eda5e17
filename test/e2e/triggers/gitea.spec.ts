import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { byConversation, reply } from '../../../src/cli/demo/wire/model-script.js';
import { toolResults } from '../../../src/cli/demo/wire/wire-format.js';
import type { Schemas } from '../../../src/client/client.js';
import { Gitea, type GiteaRepository, type GiteaUser } from '../../support/codehost/gitea.js';
import { WebhookRelay } from '../../support/http/webhook-relay.js';
import { LiveStack, type Session } from '../../support/installation/live-stack.js';
import { taskOf } from '../../support/models/messages-body.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { describeNightly } from '../../support/nightly/nightly.js';

jest.setTimeout(240_000);

const PROVIDER_KEY = 'the-key-of-the-scripted-model';
const SECRET = 'the-secret-of-the-webhook-0123456789';
const ALL_ALLOWED = 'name: tries\ndefaults: { tool_action: allow }\n';

/** Tries everything that a reviewer has no business with, and then reviews. */
const SCRIPT = byConversation([
  reply({ tool: 'Read', input: { file_path: '/workspace/change.txt' }, id: 'read' }),
  reply({ tool: 'Write', input: { file_path: '/workspace/planted.txt', content: 'x\n' }, id: 'write' }),
  reply({ tool: 'Bash', input: { command: 'touch /workspace/touched.txt', description: 'a try' }, id: 'bash' }),
  reply({ tool: 'Bash', input: { command: 'git diff pr-base HEAD', description: 'the change' }, id: 'diff' }),
  reply({ tool: 'mcp__kb__echo', input: { text: 'hello' }, id: 'mcp' }),
  reply({ text: 'Looks good to me.' }),
]);

let folder: string;
let gitea: Gitea;
let relay: WebhookRelay;
let model: ScriptedModel;
let stack: LiveStack;
let owner: GiteaUser;
let stranger: GiteaUser;
let repository: GiteaRepository;
let hook: number;
let triggerId: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sg-gitea-'));
  [gitea, relay] = [await Gitea.start(), await WebhookRelay.start()];
  model = await startScriptedModel({ apiKey: PROVIDER_KEY, script: SCRIPT });
  writeFileSync(join(folder, 'ca.pem'), gitea.certificate);
  stack = await LiveStack.start({
    SERVICE_LLM_ANTHROPIC_URL: model.url,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    SERVICE_CODEHOST_API_URL: gitea.apiUrl,
    SERVICE_CODEHOST_CLONE_BASE: gitea.url,
    SERVICE_CODEHOST_CA_FILE: join(folder, 'ca.pem'),
  });
  [owner, stranger] = [await gitea.addUser('acme'), await gitea.addUser('stranger')];
  const bot = await gitea.addUser('robot');
  repository = await gitea.addRepository(owner, 'app');
  await gitea.addWriter(repository, bot);
  await gitea.commit(repository, 'main', 'mcp-server.mjs', readFileSync('test/support/mcp/mcp-server.mjs', 'utf8'));
  const connection = await stack.json<{ id: string; ingress_path: string }>('POST', '/v1/connections', {
    ...{ provider: 'codehost', token: bot.token, webhook_secret: SECRET },
  });
  relay.target = `${stack.url}${connection.ingress_path}`;
  hook = await gitea.addWebhook(repository, relay.url, SECRET);
  triggerId = await subscribe(connection.id);
}, 240_000);
afterAll(async () => {
  await stack?.stop();
  await model?.close();
  await relay?.close();
  await gitea?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** @returns id of the trigger */
async function subscribe(connection: string): Promise<string> {
  const tools = [{ name: 'echo', description: 'says it again', input_schema: { type: 'object' } }];
  const kb = { class: 'sandbox', name: 'kb', command: 'node', args: ['/workspace/mcp-server.mjs'], tools };
  await stack.json('POST', '/v1/capabilities', { name: 'kb', servers: [kb] });
  await stack.json('POST', '/v1/policies', { name: 'tries', yaml: ALL_ALLOWED });
  const agent = { harness: 'builtin', model: 'claude-haiku-4-5', policy: 'tries', capability_bundles: ['kb'] };
  await stack.json('POST', '/v1/agents', { name: 'reviewer', ...agent });
  const trigger = await stack.json<{ id: string }>('POST', '/v1/triggers', {
    agent: 'reviewer',
    name: 'review',
    task_template: 'Review {{repository}}#{{pr_number}} at {{head_sha}}.',
    connection,
    repositories: [repository.full],
    events: ['pull_request.opened', 'pull_request.synchronize'],
    publish: ['pr_comment', 'check'],
  });
  return trigger.id;
}

type Started = Session & { base_commit: string; trust_tier: string };

/** Runs of the trigger, the newest first. */
async function runs(): Promise<Started[]> {
  return (await stack.json<{ sessions: Started[] }>('GET', `/v1/triggers/${triggerId}`)).sessions;
}

/** The run at this commit, once it has ended and its results are where they go. */
function reported(headSha: string): Promise<Started> {
  return stack.until(`the run at ${headSha}`, 90_000, async () => {
    for (const { id } of await runs()) {
      const { session } = await stack.json<{ session: Started }>('GET', `/v1/sessions/${id}`);
      if (session.base_commit !== headSha) continue;
      const { deliveries } = await stack.json<{ deliveries: Schemas['DeliveryView'][] }>(
        'GET',
        `/v1/sessions/${id}/deliveries`,
      );
      if (deliveries.length === 2 && deliveries.every(({ status }) => status === 'delivered')) return session;
      const failed = deliveries.find(({ last_error: error }) => error !== null);
      if (failed !== undefined) throw new Error(`a delivery of ${id} failed: ${failed.last_error}`);
    }
    return undefined;
  });
}

const statusesAt = (sha: string) => gitea.statuses(repository, sha);
/** Verdict and source of every decision, by the call. */
const decisionsOf = async (run: Session) =>
  Object.fromEntries(
    eventsOf(await stack.timeline(run.id), 'tool.decision').map((data) => [
      data['tool_call_id'],
      [data['verdict'], data['source']],
    ]),
  ) as Record<string, unknown>;

/** The lines that the agent of the run at this commit saw as added by its pull request. */
function addedAt(headSha: string): string[] {
  const asked = model.requests.filter(({ body }) => taskOf(body).endsWith(`at ${headSha}.`));
  const results = asked.flatMap(({ wire, body }) => toolResults(wire, body));
  const diff = results.find(({ text }) => text.startsWith('diff --git'))?.text ?? '';
  return diff.split('\n').filter((each) => /^\+(?!\+\+ )/.test(each));
}

describeNightly('a pull request at Gitea', () => {
  let number: number;

  it('CP-108 CP-109 CP-110 starts a run on its head, which comments and sets one status', async () => {
    const headSha = await gitea.commit(repository, 'feature', 'change.txt', 'one\n');
    ({ number } = await gitea.openPullRequest(repository, { head: repository, branch: 'feature', title: 'A change' }));
    const run = await reported(headSha);
    expect(run).toMatchObject({ status: 'completed', trust_tier: 'trusted', result_summary: 'Looks good to me.' });
    const comments = await gitea.comments(repository, number);
    expect(comments).toMatchObject([{ user: { login: 'robot' } }]);
    expect(comments[0]!.body).toContain(`run ${run.id} · commit ${headSha.slice(0, 12)}`);
    expect(comments[0]!.body).toContain('Looks good to me.');
    expect(await statusesAt(headSha)).toMatchObject([{ context: 'service/review', status: 'success' }]);
    expect(await decisionsOf(run)).toMatchObject({ write: ['allow', 'policy'], mcp: ['allow', 'policy'] });
    expect(addedAt(headSha)).toEqual(['+one']);
  });

  it('a push edits the same comment and sets one status on the new head', async () => {
    const [before] = await gitea.comments(repository, number);
    await gitea.commit(repository, 'main', 'later.txt', 'not of the pull request\n');
    const headSha = await gitea.commit(repository, 'feature', 'more.txt', 'two\n');
    const run = await reported(headSha);
    expect(addedAt(headSha)).toEqual(['+one', '+two']);
    const comments = await gitea.comments(repository, number);
    expect(comments).toMatchObject([{ id: before!.id }]);
    expect(comments[0]!.body).toContain(`run ${run.id} · commit ${headSha.slice(0, 12)}`);
    expect(await statusesAt(headSha)).toMatchObject([{ context: 'service/review', status: 'success' }]);
    expect(await runs()).toHaveLength(2);
  });

  it('CP-318 of a fork starts a run that can neither write nor call a tool of a server, and still comments', async () => {
    const fork = await gitea.fork(repository, stranger, 'app');
    const headSha = await gitea.commit(fork, 'theirs', 'change.txt', 'from outside\n');
    const { number: theirs } = await gitea.openPullRequest(repository, { head: fork, branch: 'theirs', title: 'Mine' });
    const run = await reported(headSha);
    expect(run).toMatchObject({ status: 'completed', trust_tier: 'read_only' });
    expect(await decisionsOf(run)).toMatchObject({
      read: ['allow', 'policy'],
      write: ['deny', 'trust_tier'],
      bash: ['deny', 'trust_tier'],
      diff: ['allow', 'policy'],
    });
    expect(addedAt(headSha)).toEqual(['+from outside']);
    expect((await decisionsOf(run))['mcp']).toMatchObject(['deny', expect.stringMatching(/trust_tier|capability/)]);
    const [comment] = await gitea.comments(repository, theirs);
    expect(comment!.body).toContain(`run ${run.id} · commit ${headSha.slice(0, 12)}`);
    expect(await statusesAt(headSha)).toMatchObject([{ context: 'service/review' }]);
  });

  it('makes no second run by a test delivery or a redelivery, and nothing of what was published makes one', async () => {
    const before = await runs();
    const first = relay.relayed.find(({ event, answer }) => event === 'pull_request' && answer['duplicate'] === false)!;
    await gitea.testWebhook(repository, hook);
    await gitea.redeliver(repository, hook, first.delivery);
    const again = await stack.until('the redelivery', 60_000, () =>
      Promise.resolve(relay.relayed.find(({ answer }) => answer['duplicate'] === true)),
    );
    expect(again).toMatchObject({ status: 200, answer: { delivery_id: first.answer['delivery_id'] } });
    const others = await stack.until('what else Gitea sends', 60_000, () => {
      const kinds = new Set(relay.relayed.filter(({ answer }) => 'ignored' in answer).map(({ event }) => event));
      return Promise.resolve(['push', 'status', 'issue_comment'].every((kind) => kinds.has(kind)) ? kinds : undefined);
    });
    expect([...others]).not.toContain('pull_request');
    expect(relay.relayed.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await runs()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});
