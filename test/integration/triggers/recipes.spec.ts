import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Schemas } from '../../../src/client/client.js';
import type { DeliveryBench } from '../../support/deliveries/delivery-bench.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { COMMIT, RecipeBench } from '../../support/triggers/recipe-bench.js';
import { example } from '../../support/triggers/recipe-page.js';
import { until } from '../../support/time/until.js';

let recipes: RecipeBench;
let bench: DeliveryBench;
beforeAll(async () => {
  recipes = await RecipeBench.start();
  bench = recipes.deliveries;
});
afterEach(() => recipes.endPrograms());
afterAll(() => recipes?.close());

describe('start a run from CI', () => {
  it('CP-103 starts one run at the commit, however often the job is started, and the callback brings its result', async () => {
    const trigger = await recipes.created('Start a run from CI');
    const first = await recipes.runStep('run-from-ci.yml', trigger);
    expect([first.code, first.stderr]).toEqual([0, '']);
    const again = await recipes.runStep('run-from-ci.yml', trigger);
    const [one, two] = [first, again].map(({ stdout }) => JSON.parse(stdout) as Schemas['InvokedRun']);
    expect([one?.replay, two?.replay, two?.session.id]).toEqual([false, true, one?.session.id]);
    expect(one?.session.task).toContain(`in acme/shop at ${COMMIT}`);
    expect(one?.session.run_spec['workspace']).toMatchObject({ repository: 'acme/shop', commit_sha: COMMIT });
    await bench.end(one!.session.id);
    const way = await bench.wayOf(one!.session.id);
    expect(await bench.attempt(way)).toEqual({ attempt: 1, waitMs: null });
    expect(recipes.receiver.of(way.deliveryId)).toMatchObject([{ body: { run: { status: 'completed' } } }]);
  });

  it.each([
    ['completed', 0],
    ['failed', 1],
  ])('CP-105 waits until the run is %s, prints its summary and ends with %i', async (status, code) => {
    const trigger = await recipes.created('Start a run from CI', `ci ${status}`);
    const waiting = recipes.runStep('run-from-ci-and-wait.yml', trigger, { SECONDS_BETWEEN: '0.05' });
    const [run] = await until(
      () => recipes.runsOf(trigger),
      (runs) => runs.length > 0,
    );
    await bench.end(run!.id, status, `It is ${status}.`);
    const ended = await waiting;
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([code, `It is ${status}.\n`, '']);
  });

  it('says what the server said when it refuses, and fails', async () => {
    const trigger = await recipes.created('Start a run from CI', 'ci refused');
    const refused = await recipes.runStep('run-from-ci.yml', { ...trigger, token: `svc_trig_${'0'.repeat(64)}` });
    expect(refused.code).not.toBe(0);
    expect(JSON.parse(refused.stdout)).toEqual({ error: expect.any(String) });
  });
});

describe('repair a failed build', () => {
  const work = (): string => join(recipes.folder, 'work');
  beforeAll(() => {
    mkdirSync(join(work(), '.github/workflows'), { recursive: true });
    writeFileSync(join(work(), '.github/workflows/failed-build.mjs'), readFileSync(example('failed-build.mjs')));
  });

  it('CP-236 sends the commit and the end of the log, whatever a log holds, within the bytes of a context', async () => {
    const trigger = await recipes.created('Repair a failed build');
    const noise = Buffer.concat([
      Buffer.from(`${'äöü漢😀"\\\t'.repeat(4000)}\u001b[31mred\u001b[0m\u0000\u0007`),
      Buffer.from([0xff, 0xfe, 0xc3]),
      Buffer.from('\n{{commit}} Error: total is wrong\n'),
    ]);
    writeFileSync(join(work(), 'build.log'), noise);
    const asked = await recipes.runStep('failed-build.yml', trigger, { cwd: work() });
    expect([asked.code, asked.stderr]).toEqual([0, '']);
    const { session } = JSON.parse(asked.stdout) as Schemas['InvokedRun'];
    expect(session.task).toContain(`The build of ${COMMIT} on main failed.`);
    expect(session.task).toContain('{{commit}} Error: total is wrong');
    expect(session.task).toContain('red\uFFFD');
    expect(session.task).not.toContain('\u001b');
    expect(Buffer.byteLength(session.task)).toBeGreaterThan(7_000);
    expect(session.run_spec['workspace']).toMatchObject({ commit_sha: COMMIT });
  });

  it('asks for one repair of a commit, and takes an empty log', async () => {
    writeFileSync(join(work(), 'build.log'), '');
    const trigger = (await bench.api.get('/v1/triggers')).body as unknown as { triggers: Schemas['Trigger'][] };
    const { id } = trigger.triggers.find(({ name }) => name === 'fix-build')!;
    const { token } = (await bench.api.post(`/v1/triggers/${id}/rotate_token`)).body as unknown as { token: string };
    const other = { GITHUB_SHA: 'f'.repeat(40), cwd: work() };
    const [running] = await recipes.runsOf({ id });
    expect((await recipes.runStep('failed-build.yml', { id, token }, other)).stdout).toContain(running!.id);
    await bench.end(running!.id);
    const answers = [];
    for (let count = 0; count < 2; count += 1)
      answers.push(
        await recipes.runStep('failed-build.yml', { id, token }, { GITHUB_SHA: 'e'.repeat(40), cwd: work() }),
      );
    expect(answers.map(({ code }) => code)).toEqual([0, 0]);
    expect(answers.map(({ stdout }) => (JSON.parse(stdout) as Schemas['InvokedRun']).replay)).toEqual([false, true]);
  });
});

describe('a form', () => {
  it('CP-235 starts a run of its template alone, once for a form that is sent twice, and of nothing that it does not offer', async () => {
    const trigger = await recipes.created('A form');
    const [port] = await freePorts(1);
    const url = await recipes.startProgram(
      [process.execPath, example('form.mjs')],
      { ...recipes.settingsOf(trigger), PAGES: 'install,usage,../etc', PORT: String(port) },
      String(port),
    );
    const page = await (await fetch(url)).text();
    expect(page).toContain('<option>install</option><option>usage</option></select>');
    expect(page).not.toContain(trigger.token);
    const [, key = ''] = /name="key" value="([0-9a-f-]{36})"/.exec(page) ?? [];
    const send = (members: Record<string, string>, site = 'same-origin') =>
      fetch(url, {
        method: 'POST',
        headers: { 'sec-fetch-site': site },
        body: new URLSearchParams({ key, page: 'install', wish: 'A {{secret}} <b>picture</b>', ...members }),
      });
    expect((await send({}, 'cross-site')).status).toBe(403);
    for (const refused of [
      { page: '../etc' },
      { page: 'other' },
      { wish: '' },
      { wish: 'x'.repeat(501) },
      { key: 'x' },
    ])
      expect((await send(refused)).status).toBe(400);
    expect(await recipes.runsOf(trigger)).toEqual([]);
    const sent = await Promise.all([send({ task: 'rm -rf /' }), send({ task: 'rm -rf /' })]);
    expect(sent.map(({ status }) => status)).toContain(200);
    const runs = await recipes.runsOf(trigger);
    expect(runs).toHaveLength(1);
    expect(runs[0]!.task).toContain('Write the page docs/install.md anew');
    expect(runs[0]!.task).toContain('A {{secret}} <b>picture</b>');
    expect(runs[0]!.task).not.toContain('rm -rf');
    const next = await send({ key: key.replace(/./, (digit) => (digit === '0' ? '1' : '0')) });
    expect([next.status, await next.text()]).toEqual([409, 'It is being written already.']);
  });
});

describe('the files of the recipes', () => {
  it('are what the page names, and the page names all of them', () => {
    const page = readFileSync('docs/triggers.md', 'utf8');
    const named = [...page.matchAll(/\]\(examples\/triggers\/([\w.-]+)\)/g)].map(([, file]) => file);
    expect(new Set(named)).toEqual(new Set(readdirSync(example(''))));
  });

  it('name no member that the server does not know', () => {
    for (const file of ['review', 'nightly-update', 'ci', 'fix-build', 'form']) {
      const document = parse(readFileSync(example(`${file}.yaml`), 'utf8')) as object;
      const known = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
        components: { schemas: Record<string, { properties: object }> };
      };
      const members = Object.keys(known.components.schemas['CreateTrigger']!.properties);
      expect(members).toEqual(expect.arrayContaining(Object.keys(document)));
    }
  });
});
