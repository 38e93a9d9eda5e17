import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { startScriptedModel, type ScriptedModel } from '../../../src/cli/demo/scripted-model.js';
import { byConversation, reply } from '../../../src/cli/demo/wire/model-script.js';
import { toolResults } from '../../../src/cli/demo/wire/wire-format.js';
import { removeTree } from '../../../src/platform/host/remove-tree.js';
import { Gitea, type GiteaRepository, type GiteaUser } from '../../support/codehost/gitea.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { taskOf } from '../../support/models/messages-body.js';
import { describeNightly } from '../../support/nightly/nightly.js';
import { until } from '../../support/time/until.js';
import { blocksOf, Shell } from '../../support/triggers/recipe-page.js';
import { StartedSandgate, temporaryStateFolder } from '../../support/installation/started-sandgate.js';

jest.setTimeout(600_000);

const KEY = 'the-key-of-the-scripted-model';
const TEN_MINUTES_MS = 600_000;
/** What the page names where the reader's own code host stands. */
const PLACE = 'https://git.example';

/** Looks at the change, tries to edit it, and says what it found. */
const SCRIPT = byConversation([
  reply({ tool: 'Bash', input: { command: 'git diff pr-base HEAD', description: 'the change' }, id: 'diff' }),
  reply({ tool: 'Read', input: { file_path: '/workspace/change.txt' }, id: 'read' }),
  reply({
    tool: 'Edit',
    input: { file_path: '/workspace/change.txt', old_string: 'one', new_string: 'two' },
    id: 'edit',
  }),
  reply({ text: 'change.txt:1 should say two.' }),
]);

const folder = temporaryStateFolder();
const dataDir = join(folder, 'state');
/** Where a person stands who has cloned the repository. */
const clone = join(folder, 'clone');
const begun = Date.now();

let gitea: Gitea;
let model: ScriptedModel;
let sandgate: StartedSandgate;
let owner: GiteaUser;
let shop: GiteaRepository;
let shell: Shell;
/** The settings that a block exports, with the code host of the test in the place of the one that the page names. */
function exported(block: string): Record<string, string> {
  const words = [...block.matchAll(/(SERVICE_CODEHOST_\w+)=(\S+)/g)];
  const here = (value: string) =>
    value.replace(PLACE, gitea.url).replace('/etc/git-example.pem', join(folder, 'git.pem'));
  return Object.fromEntries(words.map(([, name = '', value = '']) => [name, here(value)]));
}

async function follow(block: string): Promise<string> {
  const { code, stdout, stderr } = await shell.run(block.replaceAll(PLACE, gitea.url), { cwd: clone });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describeNightly('review every pull request, as the page says it', () => {
  beforeAll(async () => {
    for (const made of [clone, dataDir]) mkdirSync(made, { recursive: true, mode: 0o700 });
    for (const part of ['docs', 'policies']) symlinkSync(resolve(part), join(clone, part));
    gitea = await Gitea.start();
    model = await startScriptedModel({ apiKey: KEY, script: SCRIPT });
    writeFileSync(join(folder, 'git.pem'), gitea.certificate);
    owner = await gitea.addUser('acme');
    const bot = await gitea.addUser('robot');
    shop = await gitea.addRepository(owner, 'shop');
    await gitea.addWriter(shop, bot);
    writeFileSync(join(clone, 'token'), bot.token);
    const [port] = await freePorts(1);
    sandgate = await StartedSandgate.start(dataDir, {
      ...exported(blocksOf('Review every pull request')[0]!),
      SERVICE_BIND: `127.0.0.1:${port}`,
      SERVICE_LLM_ANTHROPIC_URL: model.url,
      ANTHROPIC_API_KEY: KEY,
    });
    shell = new Shell(folder, {
      ...{ HOME: folder, SANDGATE_URL: sandgate.url, SANDGATE_TOKEN: sandgate.token },
      ...{ GITEA_TOKEN: owner.token, CURL_CA_BUNDLE: join(folder, 'git.pem') },
    });
  }, 300_000);
  afterAll(async () => {
    await sandgate?.stop();
    await Promise.all([model?.close(), gitea?.stop()]);
    execFileSync(process.execPath, [resolve('dist/cli/main.js'), '--data-dir', dataDir, 'clean', '--yes']);
    await removeTree(folder);
  });

  it('leads from a code host and a token to a comment and a status within ten minutes', async () => {
    const [, connect = '', create = '', hook = ''] = blocksOf('Review every pull request');
    expect(await follow(connect)).toMatch(/^git [0-9a-f-]{36} is active\n.*\/v1\/ingress\/codehost\//);
    expect(await follow(create)).toContain(`${sandgate.url}/v1/ingress/codehost/`);
    expect(JSON.parse(await follow(hook))).toMatchObject({ active: true });

    const sha = await gitea.commit(shop, 'feature', 'change.txt', 'one\n');
    await gitea.commit(shop, 'main', 'later.txt', 'not of the pull request\n');
    const { number } = await gitea.openPullRequest(shop, { head: shop, branch: 'feature', title: 'A change' });
    const comments = await until(
      () => gitea.comments(shop, number),
      (all) => all.length > 0,
    );
    expect(comments).toMatchObject([{ user: { login: 'robot' } }]);
    expect(comments[0]!.body).toContain('change.txt:1 should say two.');
    expect(comments[0]!.body).toContain(sha.slice(0, 12));
    const statuses = await until(
      () => gitea.statuses(shop, sha),
      (all) => all.length > 0,
    );
    expect(statuses).toMatchObject([{ context: 'service/review', status: 'success' }]);
    expect(Date.now() - begun).toBeLessThan(TEN_MINUTES_MS);
    const { wire, body } = model.requests.at(-1)!;
    expect(taskOf(body)).toContain('`git diff pr-base HEAD`');
    expect(toolResults(wire, body)[0]?.text).toMatch(
      /^diff --git a\/change\.txt b\/change\.txt\n[^]*\n@@ -0,0 \+1 @@\n\+one\n*$/,
    );

    expect(await follow('sandgate deliveries last')).toMatch(
      /delivered +1 +comment acme\/shop#1[^]*delivered +1 +check/,
    );
    // Nobody waits at a trigger: what the policy would ask about is denied.
    expect(await follow('sandgate log last -o json')).toMatch(
      /"tool_call_id": "edit",[^}]*"verdict": "deny"|"verdict": "deny"[^}]*"edit"/,
    );
  });
});
