import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Schemas } from '../../../src/client/client.js';
import { removeTree } from '../../../src/platform/host/remove-tree.js';
import { ADMIN_TOKEN } from '../api/api.js';
import { DeliveryBench } from '../deliveries/delivery-bench.js';
import { ResultReceiver } from '../deliveries/result-receiver.js';
import { until } from '../time/until.js';
import { blocksOf, ciStep, Shell, type ScriptOutcome } from './recipe-page.js';

/** What the page writes where an address of the reader stands. */
const CALLBACK = 'https://bot.example.com/';
export const COMMIT = '0123456789abcdef0123456789abcdef01234567';

interface Invocable {
  id: string;
  token: string;
}

/** An API, a receiver of results, and a person with a shell who follows docs/triggers.md. */
export class RecipeBench {
  private readonly programs: ChildProcess[] = [];

  private constructor(
    readonly deliveries: DeliveryBench,
    readonly receiver: ResultReceiver,
    readonly folder: string,
    readonly shell: Shell,
  ) {}

  static async start(): Promise<RecipeBench> {
    const [deliveries, receiver] = await Promise.all([DeliveryBench.start(), ResultReceiver.start()]);
    const folder = mkdtempSync(join(tmpdir(), 'sg-recipes-'));
    const github = { GITHUB_RUN_ID: '7', GITHUB_JOB: 'ask', GITHUB_REPOSITORY: 'acme/shop', GITHUB_REF_NAME: 'main' };
    const settings = { HOME: folder, SANDGATE_URL: deliveries.api.url, SANDGATE_TOKEN: ADMIN_TOKEN };
    return new RecipeBench(deliveries, receiver, folder, new Shell(folder, { ...settings, ...github }));
  }

  /** Creates the trigger of a recipe by the command of the page, with its callback at a receiver of the test. */
  async created(recipe: string, name?: string): Promise<Schemas['CreatedTrigger']> {
    const lines = blocksOf(recipe).join('').split('\n');
    const command = lines.find((line) => line.startsWith('sandgate triggers create')) ?? '';
    const named = name === undefined ? '' : ` --name '${name}'`;
    const here = command.replace(CALLBACK, this.receiver.url('/'));
    const { code, stdout, stderr } = await this.shell.run(`${here}${named} -o json`);
    if (code !== 0 || stderr !== '') throw new Error(`${command}: ${stderr}`);
    return JSON.parse(stdout) as Schemas['CreatedTrigger'];
  }

  /** What recipes keep as variables and secrets of a repository. */
  settingsOf({ id, token }: Invocable): Record<string, string> {
    const url = `${this.deliveries.api.url}/v1/triggers/${id}`;
    return { SANDGATE_TRIGGER_URL: url, SANDGATE_TRIGGER_TOKEN: token };
  }

  /** Runs the step of a workflow as a runner does, on a commit. */
  runStep(
    file: string,
    trigger: Invocable,
    { cwd = this.folder, ...more }: Record<string, string> = {},
  ): Promise<ScriptOutcome> {
    const { script, env } = ciStep(file, this.settingsOf(trigger));
    return this.shell.run(script, { cwd, env: { GITHUB_SHA: COMMIT, ...env, ...more } });
  }

  async runsOf({ id }: Pick<Invocable, 'id'>): Promise<Schemas['SessionView'][]> {
    const { body } = await this.deliveries.api.get(`/v1/triggers/${id}`);
    return body.sessions;
  }

  /** Starts a program of the recipes, and waits until its server answers at the port. */
  async startProgram(argv: [string, ...string[]], env: Record<string, string>, port: string): Promise<string> {
    const [command, ...more] = argv;
    const program = spawn(command, more, {
      env: { PATH: process.env['PATH'], HOME: this.folder, GIT_CONFIG_NOSYSTEM: '1', ...env },
      stdio: 'ignore',
    });
    this.programs.push(program);
    const url = `http://127.0.0.1:${port}/`;
    const answers = await until(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      (up) => up,
    );
    if (!answers) throw new Error(`${argv.join(' ')} does not start`);
    return url;
  }

  async endPrograms(): Promise<void> {
    for (const program of this.programs.splice(0)) {
      const ended = once(program, 'exit');
      if (program.kill()) await ended;
    }
  }

  async close(): Promise<void> {
    await this.endPrograms();
    await this.deliveries.api.close();
    await this.receiver.close();
    await removeTree(this.folder);
  }
}
