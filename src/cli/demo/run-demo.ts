import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installCommand, needsProgram } from '../../domain/harness/harness-program.js';
import type { HarnessId } from '../../domain/harness/harness-models.js';
import { addressLines } from '../../embedded/announce.js';
import { provideHarness } from '../../embedded/harness-programs.js';
import { Installation } from '../../embedded/installation.js';
import { removeState } from '../../embedded/remove-state.js';
import { ApprovalDesk } from '../views/decide.js';
import { decide } from '../server/approvals.js';
import { EXIT } from '../terminal/exit-codes.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { RunFollower } from '../views/follow-run.js';
import { textOf } from '../server/event-data.js';
import { readCost, readDiff, readRun } from '../server/runs.js';
import { SandgateClient } from '../server/sandgate-client.js';
import type { Approval, RunEvent, Session } from '../server/wire.js';
import { renderApproval } from '../views/approval-view.js';
import { block, inline } from '../terminal/escape.js';
import { LiveScreen } from '../terminal/live-screen.js';
import { write } from '../terminal/output.js';
import { agentOnServer, SEEDED_AGENT } from './agent-on-server.js';
import { awaitServer } from './await-server.js';
import { DEMO_AGENTS, type DemoAgent } from './demo-agents.js';
import { demoEnvironment, SCRIPTED_MODEL_KEY } from './demo-environment.js';
import { checkPromises } from './promises.js';
import type { Evidence } from './promises.js';
import { createSampleProject } from './sample-project.js';
import { startScriptedModel } from './scripted-model.js';
import type { ModelBind, ScriptedModel } from './scripted-model.js';

export interface DemoOptions {
  readonly harness: HarnessId;
  readonly keep: boolean;
  /** Decide the approval without asking, although there is a terminal. */
  readonly yes: boolean;
  readonly signal: AbortSignal;
  /** A server that runs already; without it the demo starts one of its own. */
  readonly server?: DemoServer;
}

/** A server that was set up for the demo (docs/deploy.md): its agents' model is at `modelBind`, and it copies from `folder`. */
export interface DemoServer {
  readonly client: SandgateClient;
  readonly modelBind: ModelBind;
  readonly folder: string;
}

/**
 * The whole demonstration, from an empty folder to a checked result. Leaves nothing behind unless something failed; on a server nothing in
 * any case, because what there is to look at is there.
 */
export async function runDemo(options: DemoOptions): Promise<ExitCode> {
  const { server, signal } = options;
  try {
    if (server !== undefined) await awaitServer(server.client, { signal, notify: write });
    return await demonstrate(options);
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    throw error;
  }
}

async function demonstrate(options: DemoOptions): Promise<ExitCode> {
  const { server, signal } = options;
  const demo = new Demo(mkdtempSync(join(server?.folder ?? tmpdir(), 'sandgate-demo-')), options);
  let exitCode: ExitCode = EXIT.failure;
  try {
    exitCode = await demo.run();
    if (options.keep && exitCode === EXIT.ok) await demo.stay();
    return exitCode;
  } finally {
    await demo.end(exitCode === EXIT.ok || signal.aborted || server !== undefined);
  }
}

class Demo {
  private readonly screen = new LiveScreen();
  private readonly agent: DemoAgent;
  private readonly repository: string;
  private readonly stateDir: string;
  private readonly events: RunEvent[] = [];
  private installation: Installation | undefined;
  private model: ScriptedModel | undefined;
  private decision: string | undefined;

  constructor(
    private readonly folder: string,
    private readonly options: DemoOptions,
  ) {
    this.agent = DEMO_AGENTS[options.harness];
    this.repository = join(folder, 'invoice');
    this.stateDir = join(folder, 'state');
  }

  async run(): Promise<ExitCode> {
    await createSampleProject(this.repository);
    await this.provideProgram();
    const { script } = this.agent;
    const { server } = this.options;
    if (script !== null) {
      const bind = server === undefined ? {} : { bind: server.modelBind };
      this.model = await startScriptedModel({ script: script(), apiKey: SCRIPTED_MODEL_KEY, ...bind });
    }
    const client = server?.client ?? (await this.start(this.model?.url ?? null));
    const name = server === undefined ? SEEDED_AGENT : await agentOnServer(client, this.options.harness);
    const session = await this.createRun(client, name);
    this.title(
      'The run, live',
      `Agent "${name}" (${this.options.harness}) on ${this.repository}. ${this.agent.headline}`,
    );
    await this.follow(client, session);
    const evidence = await this.collect(client, session.id);
    this.show(evidence);
    return this.judge(evidence, session.id);
  }

  /** Leaves everything running until the person ends it. */
  async stay(): Promise<void> {
    const where = this.options.server === undefined ? `--data-dir ${this.stateDir} ` : '';
    write(
      `\nSandgate goes on running. Look around with: sandgate ${where}runs   (Ctrl+C ends it and deletes the demo)`,
    );
    if (!this.options.signal.aborted) await once(this.options.signal, 'abort');
  }

  async end(removeFolder: boolean): Promise<void> {
    this.screen.clearStatus();
    await this.installation?.stop('leave');
    await this.model?.close();
    if (!removeFolder) {
      write(
        `The folder of this demo was kept for you to look at: ${this.folder} (logs in ${join(this.stateDir, 'logs')})`,
      );
      return;
    }
    if (this.installation !== undefined) await removeState(this.stateDir);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Fetched once for all demos of this machine; it is no part of an installation that does not use it. */
  private async provideProgram(): Promise<void> {
    const { harness } = this.options;
    if (!needsProgram(harness) || this.options.server !== undefined) return;
    this.title(
      'The program',
      `What \`${installCommand(harness)}\` does: fetched by npm at its pinned version, every package checked.`,
    );
    const program = await provideHarness(this.stateDir, harness);
    write(`  ${program.package} ${program.version}, ${Math.ceil(program.bytes / 1_000_000)} MB`);
  }

  private async start(modelUrl: string | null): Promise<SandgateClient> {
    this.title('Starting', 'PostgreSQL, Temporal, API and worker, all on this machine, in a folder of their own.');
    const begun = Date.now();
    const { stateDir, repository } = this;
    const env = demoEnvironment(process.env, { stateDir, repository, modelUrl, harness: this.options.harness });
    const notify = (line: string) => this.screen.line(block(line));
    this.installation = await Installation.start({ env, notify, signal: this.options.signal });
    write(`  started in ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    const { url, adminToken } = this.installation;
    return new SandgateClient({ url, token: adminToken, source: 'demo' });
  }

  private async createRun(client: SandgateClient, agent: string): Promise<Session> {
    const workspace = { kind: 'git_repository' as const, clone_url: `file://${this.repository}` };
    const body = {
      agent,
      task: this.agent.task,
      workspace,
      labels: { purpose: 'demo' },
      autonomous: false,
      allow_unpriced: false,
    };
    return (await client.call((api) => api.POST('/v1/sessions', { body }))).session;
  }

  private async follow(client: SandgateClient, session: Session): Promise<void> {
    const ask = process.stdin.isTTY === true && process.stdout.isTTY === true && !this.options.yes;
    const desk = new ApprovalDesk(client);
    const follower = new RunFollower(client, session, {
      screen: this.screen,
      signal: this.options.signal,
      onEvent: (event) => this.take(event),
      onApproval: (approval, screen, decided) => {
        if (ask) desk.ask(approval, screen, decided);
        else this.decideForThePerson(client, approval);
      },
    });
    await follower.follow();
    this.options.signal.throwIfAborted();
  }

  private take(event: RunEvent): void {
    this.events.push(event);
    if (event.type === 'approval.decided') this.decision = textOf(event.payload.data, 'decision');
  }

  private decideForThePerson(client: SandgateClient, approval: Approval): void {
    this.screen.line(renderApproval(approval, this.screen));
    this.screen.line('   Nobody is asked here, so the demo allows it once.');
    decide(client, approval.id, 'approved_once').catch((error: unknown) => {
      this.screen.line(`the decision was not taken: ${inline(error instanceof Error ? error.message : String(error))}`);
    });
  }

  private async collect(client: SandgateClient, runId: string): Promise<Evidence> {
    const session = await readRun(client, runId);
    const cost = await readCost(client, runId);
    const diff = (await readDiff(client, runId))?.content ?? '';
    return {
      session,
      events: this.events,
      cost,
      diff,
      callsModel: this.agent.script !== null,
      requests: this.model?.requests ?? [],
      decision: this.decision,
    };
  }

  private show({ cost, diff }: Evidence): void {
    this.title('The change');
    write(block(diff.trimEnd()));
    this.title('The cost');
    write(
      `  $${cost.cost_usd.toFixed(6)} for ${cost.requests} model requests, ${cost.input_tokens} tokens in, ${cost.output_tokens} out, ${cost.tool_calls} tool calls`,
    );
  }

  private judge(evidence: Evidence, runId: string): ExitCode {
    const { colours } = this.screen;
    const promises = checkPromises(evidence);
    this.title('What was promised');
    for (const { text, kept } of promises) write(`  ${kept ? colours.green('kept  ') : colours.red('BROKEN')} ${text}`);
    if (this.installation !== undefined) this.showAddresses(this.installation, runId);
    const broken = promises.filter((promise) => !promise.kept);
    if (broken.length > 0) write(`\n${broken.length} of ${promises.length} promises were broken.`);
    return broken.length === 0 ? EXIT.ok : EXIT.failure;
  }

  private showAddresses(installation: Installation, runId: string): void {
    this.title(
      'Where to look',
      this.options.keep ? undefined : 'These addresses end with the demo; with --keep they stay until Ctrl+C.',
    );
    for (const line of addressLines(installation)) write(line);
    write(`  This run       ${installation.temporalWebUrl ?? ''}/namespaces/default/workflows/run-${runId}`);
  }

  private title(text: string, more?: string): void {
    write(`\n${this.screen.colours.bold(text)}${more === undefined ? '' : `\n  ${more}`}`);
  }
}
