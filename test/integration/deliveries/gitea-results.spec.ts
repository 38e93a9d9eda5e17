import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Codehost } from '../../../src/core/codehost/codehost.js';
import { publishResult } from '../../../src/core/deliveries/publish-result.js';
import { createSealer } from '../../../src/core/seal/create-sealer.js';
import { unattendedStarter } from '../../../src/core/triggers/subscription-runs.js';
import type { ResultDestination } from '../../../src/domain/run/result-destination.js';
import { summaryForPage } from '../../../src/domain/deliveries/summary-for-page.js';
import { Egress } from '../../../src/platform/egress/egress.js';
import { Gitea, type GiteaPullRequest, type GiteaRepository, type GiteaUser } from '../../support/codehost/gitea.js';
import { connectionIn } from '../../support/connections/connections-api.js';
import type { CalledBack } from '../../support/deliveries/called-back.js';
import { describeNightly } from '../../support/nightly/nightly.js';
import { until } from '../../support/time/until.js';
import { DeliveryBench } from '../../support/deliveries/delivery-bench.js';

let gitea: Gitea;
let bench: DeliveryBench;
let codehost: Codehost;
let owner: GiteaUser;
let bot: GiteaUser;
let repository: GiteaRepository;
let connection: string;

beforeAll(async () => {
  gitea = await Gitea.start();
  owner = await gitea.addUser('acme');
  bot = await gitea.addUser('robot');
  repository = await gitea.addRepository(owner, 'app');
  await gitea.addWriter(repository, bot);
  bench = await DeliveryBench.start(
    {
      SERVICE_CODEHOST_API_URL: gitea.apiUrl,
      SERVICE_CODEHOST_CLONE_BASE: gitea.url,
      SERVICE_CODEHOST_CA: gitea.certificate,
    },
    { publish: (publication) => publishResult({ database: bench.api.db, codehost }, publication) },
  );
  const { config, db: database } = bench.api;
  const sealer = createSealer(database, config.seal);
  codehost = new Codehost({ config: config.codehost, database, sealer, egress: new Egress(config.egress) });
  const body = { provider: 'codehost', token: bot.token };
  connection = connectionIn(await bench.api.post('/v1/connections', body)).id;
}, 180_000);
afterAll(async () => {
  await bench?.api.close();
  await gitea?.stop();
});

/** A run that ends, and whose results are published to both places. @returns what went wrong, if anything */
async function publish(
  subscription: CalledBack,
  { number, headSha }: GiteaPullRequest,
  outcome = 'completed',
  summary = `seen ${headSha}`,
): Promise<(string | null)[]> {
  const at = { connection_id: connection, repository: repository.full };
  const destinations: ResultDestination[] = [
    { kind: 'codehost_pr_comment', ...at, pr_number: number },
    { kind: 'codehost_check', ...at, head_sha: headSha },
  ];
  const starter = unattendedStarter('webhook', subscription.id, bench.api.organizationId);
  const runId = await bench.run(subscription, { starter, destinations });
  await bench.end(runId, outcome, summary);
  for (const { id, resends } of await bench.deliveries(runId))
    await bench.attempt({ organizationId: bench.api.organizationId, runId, deliveryId: id, resends });
  return (await bench.deliveries(runId)).map(({ last_error }) => last_error);
}

async function openPullRequest(branch: string): Promise<GiteaPullRequest> {
  await gitea.commit(repository, branch, `${branch}.txt`, 'hello\n');
  return gitea.openPullRequest(repository, { head: repository, branch, title: branch });
}

describeNightly('results at Gitea, with the token of a person', () => {
  it('CP-110 a pull request has one comment, which a later run edits, and one status for each head', async () => {
    const subscription = await bench.subscribe('https://ci.example.com/callback', { name: 'review' });
    const pull = await openPullRequest('one');
    expect(await publish(subscription, pull)).toEqual([null, null]);
    const [comment] = await gitea.comments(repository, pull.number);
    expect(comment).toMatchObject({ user: { login: 'robot' } });
    expect(comment!.body).toContain(`seen ${pull.headSha}`);
    expect(await gitea.statuses(repository, pull.headSha)).toMatchObject([
      { context: 'service/review', status: 'success', description: 'fixer: completed' },
    ]);

    const headSha = await gitea.commit(repository, 'one', 'more.txt', 'more\n');
    expect(await publish(subscription, { ...pull, headSha }, 'failed')).toEqual([null, null]);
    const after = await gitea.comments(repository, pull.number);
    expect(after).toMatchObject([{ id: comment!.id }]);
    expect(after[0]!.body).toContain(`seen ${headSha}`);
    expect(await gitea.statuses(repository, headSha)).toMatchObject([{ context: 'service/review', status: 'failure' }]);
    expect(await gitea.statuses(repository, pull.headSha)).toHaveLength(1);
  });

  it('CP-110 tells nobody of a summary that mentions them and links no issue, however it is written', async () => {
    const friend = await gitea.addUser('friend');
    const [linked, reviewed, control] = [
      await openPullRequest('linked'),
      await openPullRequest('reviewed'),
      await openPullRequest('control'),
    ];
    const n = linked.number;
    const address = `${gitea.url}/${repository.full}/pulls/${n}`;
    const forms = [
      `@friend \\@friend &#64;friend &commat;friend (@friend) **@friend** a@b.co@friend`,
      `| \`x | @friend | #${n} y\` |\n| --- | --- | --- |\n| \`x | @friend | #${n} y\` |`,
      `a \` b\n\` @friend #${n} \` c`,
      `a\n    ~~~\n    @friend #${n}\n    ~~~`,
      `#${n} !${n} \\#${n} &#35;${n} #&#${48 + n};  ${repository.full}#${n} ${repository.full}!${n}`,
      `${address} [a](${address}) [b](/${repository.full}/issues\\/${n})\n\n[c]: ${address}\n\n[c] <${address}>`,
    ];
    const subscription = await bench.subscribe('https://ci.example.com/callback', { name: 'loud' });
    expect(await publish(subscription, reviewed, 'completed', forms.join('\n\n'))).toEqual([null, null]);
    await gitea.comment(repository, control.number, bot, forms.join('\n\n'));
    const told = await until(
      () => gitea.notifications(friend),
      ({ length }) => length > 0,
    );
    expect(told).toEqual([`${gitea.url}/${repository.full}/pulls/${control.number}`]);
    const references = (await gitea.timeline(repository, n)).filter((kind) => kind.endsWith('_ref'));
    expect(references).toEqual(['comment_ref']);
    const [comment] = await gitea.comments(repository, reviewed.number);
    for (const form of forms) {
      expect(comment!.body).toContain(summaryForPage(form));
      const links = /href="[^"]*\/friend"|class="ref-issue|(?:pulls|issues)\/\d+"/;
      expect(await gitea.rendered(repository, form)).toMatch(links);
      expect(await gitea.rendered(repository, summaryForPage(form))).not.toMatch(links);
    }
  });

  it('finds its comment and its status again when the record of them was lost', async () => {
    const subscription = await bench.subscribe('https://ci.example.com/callback', { name: 'forgetful' });
    const pull = await openPullRequest('two');
    await gitea.comment(repository, pull.number, owner, `copied <!-- service:sub:${subscription.id} -->`);
    await publish(subscription, pull);
    await bench.own('delete from external_results where subscription_id = $1', [subscription.id]);
    expect(await publish(subscription, pull)).toEqual([null, null]);
    expect(await gitea.comments(repository, pull.number)).toMatchObject([
      { user: { login: 'acme' } },
      { user: { login: 'robot' } },
    ]);
    expect(await gitea.statuses(repository, pull.headSha)).toHaveLength(1);
  });

  it('makes a comment anew that was deleted, and fails in words of ours at a pull request that is not there', async () => {
    const subscription = await bench.subscribe('https://ci.example.com/callback', { name: 'deleted' });
    const pull = await openPullRequest('three');
    await publish(subscription, pull);
    const [comment] = await gitea.comments(repository, pull.number);
    await gitea.deleteComment(repository, comment!.id);
    await publish(subscription, pull);
    expect(await gitea.comments(repository, pull.number)).toHaveLength(1);
    const [problem] = await publish(subscription, { ...pull, number: 9_999 });
    expect(problem).toMatch(/^the code host answered \d{3}$/);
  });
});
