import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  captureTerminals,
  startCommand,
  type Outcome,
  type RunningCommand,
} from '../../support/cli/running-command.js';
import { AppsBench, type Registration } from '../../support/codehost/apps-bench.js';
import { until } from '../../support/time/until.js';

let apps: AppsBench;
const earlier = { url: process.env['SANDGATE_URL'], token: process.env['SANDGATE_TOKEN'] };
beforeAll(async () => {
  captureTerminals();
  apps = await AppsBench.start();
  Object.assign(process.env, { SANDGATE_URL: apps.bench.api.url, SANDGATE_TOKEN: apps.bench.admin.token });
});
afterAll(async () => {
  jest.restoreAllMocks();
  Object.assign(process.env, { SANDGATE_URL: earlier.url ?? '', SANDGATE_TOKEN: earlier.token ?? '' });
  await apps?.close();
});

const cli = (argv: string[]): Promise<Outcome> => startCommand(argv).outcome;

async function ok(argv: string[]): Promise<string> {
  const { code, stdout, message } = await cli(argv);
  expect([argv, code, message]).toEqual([argv, 0, '']);
  return stdout;
}

/** The address that a command asks a person to open. */
async function asked({ terminal }: RunningCommand): Promise<string> {
  const address = /(http:\S+\/go\?boot=\S+)/;
  await until(
    () => terminal.stderr,
    (said) => address.test(said),
  );
  const [, url] = address.exec(terminal.stderr) ?? [];
  if (url === undefined) throw new Error(`no address was printed: ${terminal.stderr}`);
  return url;
}

/** What a person does in the browser to register an app. */
async function registerIn(waiting: RunningCommand): Promise<void> {
  const visitor = apps.visitor();
  const { state } = await visitor.openManifest(await asked(waiting));
  expect((await visitor.get(apps.callback(state))).status).toBe(200);
}

describe('codehost', () => {
  let app: Registration;

  it('CP-154 registers an app in the browser and waits until its keys are here', async () => {
    expect(await ok(['codehost'])).toBe('No apps; sandgate codehost connect registers one.\n');
    const waiting = startCommand(['codehost', 'connect', '--organization', 'acme', '--no-browser']);
    await registerIn(waiting);
    const { code, stdout, stderr } = await waiting.outcome;
    app = (await apps.list())[0]!;
    expect([code, stdout]).toEqual([
      0,
      `Sandgate ${app.id} is active; it cannot tell of events\nInstall it from the page in the browser, or with: sandgate codehost install ${app.slug}\n`,
    ]);
    expect(stderr).toContain('Open in a browser, within the hour:');
    expect(await ok(['codehost', 'list'])).toMatch(new RegExp(`${app.slug} +active +acme +no`));
  });

  it('CP-154 installs it and waits until the installation is connected, however often', async () => {
    const hosted = apps.bench.rest.apps.at(-1)!;
    for (const installation of ['9001', '9001', '9002']) {
      const waiting = startCommand(['codehost', 'install', app.slug!, '--no-browser']);
      const visitor = apps.visitor();
      const page = await visitor.openInstall(await asked(waiting));
      hosted.installations.set(installation, { login: 'acme', suspended: false });
      const state = page.searchParams.get('state') ?? '';
      await visitor.get(apps.setup(app, { installation_id: installation, state }));
      const { code, stdout } = await waiting.outcome;
      const [connection] = await apps.connections(installation);
      expect([code, stdout]).toEqual([0, `${app.slug} → acme ${connection!.id} is active\n`]);
    }
  });

  it('CP-154 CP-250 synchronizes what the host lists, and approves what was revoked', async () => {
    const [connection] = await apps.connections('9002');
    expect(await ok(['connections', 'revoke', connection!.id, '--yes'])).toContain('is revoked');
    expect(await ok(['codehost', 'sync', app.id.slice(-12)])).toMatch(
      /→ acme [0-9a-f-]{36} is active\ninstallation 9002 was left as it is: its connection was revoked/,
    );
    expect(await ok(['codehost', 'approve', connection!.id])).toContain(`${connection!.id} is active`);
    const synced = JSON.parse(await ok(['codehost', 'sync', 'Sandgate', '-o', 'json'])) as { installations: number };
    expect(synced.installations).toBe(2);
  });

  it('CP-155 revokes it with its connections after a question, and is not waited for any more', async () => {
    const waiting = startCommand(['codehost', 'install', app.slug!, '--no-browser']);
    await asked(waiting);
    const question = await cli(['codehost', 'revoke', app.slug!]);
    expect([question.code, question.message]).toEqual([2, expect.stringContaining('say so with --yes')]);
    expect(await ok(['codehost', 'revoke', app.slug!, '--yes'])).toMatch(
      /^Sandgate [0-9a-f-]{36} is revoked, with 2 connections\nDelete it at the code host, too: https:/,
    );
    expect(await waiting.outcome).toMatchObject({ code: 5, message: 'the registration was revoked meanwhile' });
    expect(await cli(['codehost', 'sync', app.slug!])).toMatchObject({
      code: 3,
      message: `no app that is not revoked has the name or id ${app.slug}`,
    });
    expect((await cli(['codehost', 'revoke', app.id, '--yes'])).code).toBe(5);
  });

  it('names by id what two have in common', async () => {
    for (let count = 0; count < 2; count += 1) await apps.register();
    const twice = await cli(['codehost', 'sync', 'Sandgate']);
    expect([twice.code, twice.message]).toEqual([2, 'several apps are called Sandgate; give the id']);
  });
});
