import { setImmediate as loopTurn, setTimeout as sleep } from 'node:timers/promises';
import { openWayOut } from './bridge/way-out.js';
import type { WayOut } from './bridge/way-out.js';
import { openLoopbackBridge } from './bridge/loopback-bridge.js';
import type { LoopbackBridge } from './bridge/loopback-bridge.js';
import type { ContractTiming } from './contract/contract-timing.js';
import { keepBeating, keepRenewing } from './contract/heart.js';
import { Narrator } from './contract/narrator.js';
import { ContractClient } from './contract/contract-client.js';
import { ContractTransport } from './contract/contract-transport.js';
import { messageOf } from './log/failure-text.js';
import { EXIT } from './exit-codes.js';
import type { ExitCode } from './exit-codes.js';
import { loadHarness } from './harness-catalog.js';
import type { HarnessContext, HarnessResult } from './harness/harness.js';
import { UngovernedToolError } from './harness/ungoverned-tool-error.js';
import type { RunnerTokens } from './launch/hand-off.js';
import type { RunnerSettings } from './launch/runner-settings.js';
import type { SetupSettings } from './launch/setup-settings.js';
import type { Broker } from './mcp/brokered-tools.js';
import { NO_SANDBOX_TOOLS } from './mcp/sandbox-tools.js';
import type { SandboxTools } from './mcp/sandbox-tools.js';
import { ServerStartError } from './mcp/server-start-error.js';
import type { RunnerLog } from './log/runner-log.js';
import { RunStop } from './contract/run-stop.js';
import type { StopReason } from './contract/run-stop.js';
import type { SelfCheckResult } from './self-check/self-check.js';
import type { CanonicalTool } from './tools/canonical-tool.js';
import { toolEnvironment } from './tools/tool-environment.js';
import { WorkspaceRoot } from './tools/workspace-root.js';

export interface RunnerOptions {
  settings: RunnerSettings;
  tokens: RunnerTokens;
  selfCheck: () => SelfCheckResult;
  log: RunnerLog;
  /** Takes what setup commands print; standard output by default. */
  print?: (text: string) => void;
  timing?: ContractTiming;
}

const MAX_SUMMARY = 4_000;
/** How long a stopped harness may take to let go; the process ends anyway. */
const WIND_DOWN_MS = 2_000;

/**
 * One run inside its sandbox, from the first heartbeat to the posted result. Resolves with the exit code (docs/runner-contract.md,
 * section 13): 0 when the outcome was reported as completed or the run was asked to stop, 1 when it failed or could not be
 * reported, 3 when a token was refused for its audience, 5 when a harness program executed a tool without the gate's consent. Of a runner
 * that only prepares the workspace 0 says that it did, 6 that a command failed or was denied, and 7 that its time was up.
 */
export async function runRunner(options: RunnerOptions): Promise<ExitCode> {
  const { settings, log } = options;
  // Before anything is opened: this checks the sandbox, not the runner.
  const check = options.selfCheck();
  const stop = new RunStop();
  const transport = new ContractTransport({ baseUrl: settings.controlUrl, socketPath: settings.planeSocket });
  const contract = new ContractClient({
    transport,
    runId: settings.runId,
    tokens: options.tokens,
    stop,
    ...timingOf(options),
  });
  const living = new AbortController();
  const background = [
    keepBeating(contract, stop, living.signal, log),
    keepRenewing(contract, AbortSignal.any([living.signal, stop.signal]), log),
  ];
  try {
    // The first heartbeat leaves before the harness is loaded.
    await loopTurn();
    const parts = { contract, transport, stop, check };
    const working = settings.setup === null ? work(options, parts) : setUp(options, parts, settings.setup);
    const ended = await Promise.race([working, stop.requested.then((reason) => ({ reason }))]);
    if (typeof ended === 'number' && stop.reason === null) return ended;
    await Promise.race([working, sleep(WIND_DOWN_MS, undefined, { ref: false })]);
    // A run whose program acted without the gate is over, whatever this process still reports.
    if (stop.reason?.kind === 'ungoverned_tool') living.abort();
    const code = await leave(stop.reason ?? { kind: 'quiesce' }, contract, log);
    // A setup that was told to stop has not prepared anything.
    return settings.setup !== null && code === EXIT.done ? EXIT.setupFailed : code;
  } finally {
    living.abort();
    stop.request({ kind: 'quiesce' });
    await Promise.all(background);
    transport.close();
  }
}

interface RunParts {
  contract: ContractClient;
  transport: ContractTransport;
  stop: RunStop;
  check: SelfCheckResult;
}

/** Never rejects: whatever happens in a harness becomes an outcome. */
async function work(options: RunnerOptions, parts: RunParts): Promise<ExitCode> {
  const narrator = new Narrator(parts.contract, options.log);
  const result = await perform(options, parts, narrator);
  if (parts.stop.reason !== null) return EXIT.done;
  try {
    if (result.outcome === 'failed') void narrator.error(result.summary);
    await narrator.flush();
    await parts.contract.postResult(result.outcome, result.summary.slice(0, MAX_SUMMARY).toWellFormed());
    options.log(`result posted: ${result.outcome}`);
    return result.outcome === 'completed' ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (parts.stop.reason === null) options.log(`the result could not be reported: ${messageOf(error)}`);
    return EXIT.failed;
  }
}

/** Prepares the workspace for the agent, which another sandbox will run. Never rejects. */
async function setUp(
  { settings, tokens, log, print = (text) => process.stdout.write(text) }: RunnerOptions,
  { contract, stop, check }: RunParts,
  setup: SetupSettings,
): Promise<ExitCode> {
  if (!check.ok) {
    log(`the sandbox does not hold what it promises: ${check.point}`);
    return EXIT.failed;
  }
  let wayOut: WayOut | null = null;
  try {
    wayOut = await openWayOut(settings, tokens.tool);
    const { performSetup } = await import('./setup/perform-setup.js');
    return await performSetup(setup, {
      contract,
      narrator: new Narrator(contract, log),
      cwd: settings.workspace,
      environment: toolEnvironment(settings.workspace, settings.agentVariables, wayOut.variables),
      refusals: wayOut.refusals,
      signal: stop.signal,
      log,
      print,
    });
  } catch (error) {
    if (stop.reason === null) log(`the setup failed: ${messageOf(error)}`);
    return EXIT.setupFailed;
  } finally {
    await wayOut?.close();
  }
}

async function perform(options: RunnerOptions, parts: RunParts, narrator: Narrator): Promise<HarnessResult> {
  const { settings, log } = options;
  let bridge: LoopbackBridge | null = null;
  let wayOut: WayOut | null = null;
  let sandboxTools = NO_SANDBOX_TOOLS;
  try {
    if (!parts.check.ok)
      return { outcome: 'failed', summary: `The sandbox does not hold what it promises: ${parts.check.point}` };
    const harness = await loadHarness(settings.harness);
    if (harness === null)
      return { outcome: 'failed', summary: `This runner has no harness ${JSON.stringify(settings.harness)}` };
    if (settings.planeSocket !== null) bridge = await openLoopbackBridge(settings.planeSocket);
    wayOut = await openWayOut(settings, options.tokens.tool);
    await using workspace = await WorkspaceRoot.open(settings.workspace);
    sandboxTools = await startServers(options, parts, { narrator, workspace, wayOut });
    log(`harness ${settings.harness} starts`);
    const brokered = await connectedTools(options, { contract: parts.contract, narrator });
    return await harness.run(
      harnessContext(options, parts, { narrator, workspace, bridge, wayOut, sandboxTools, brokered }),
    );
  } catch (error) {
    if (error instanceof UngovernedToolError) parts.stop.request({ kind: 'ungoverned_tool', message: error.message });
    if (error instanceof ServerStartError) return { outcome: 'failed', summary: error.message };
    if (parts.stop.reason === null) log(`harness ${settings.harness} failed: ${messageOf(error)}`);
    return { outcome: 'failed', summary: `The harness failed: ${messageOf(error)}` };
  } finally {
    await sandboxTools.close();
    await wayOut?.close();
    await bridge?.close();
  }
}

/** The run needs all its servers: one that does not start fails it before any model is asked. The client is loaded only here. */
async function startServers(
  { settings, log }: RunnerOptions,
  { stop }: RunParts,
  { narrator, workspace, wayOut }: { narrator: Narrator; workspace: WorkspaceRoot; wayOut: WayOut },
): Promise<SandboxTools> {
  const { sandbox: servers } = settings.capabilities;
  if (servers.length === 0) return NO_SANDBOX_TOOLS;
  const { openSandboxTools } = await import('./mcp/open-sandbox-tools.js');
  log(`${servers.length} MCP servers start`);
  const opened = await openSandboxTools(servers, {
    cwd: workspace.path,
    environment: toolEnvironment(workspace.path, settings.agentVariables, wayOut.variables),
    signal: stop.signal,
  });
  if (opened.missing.length > 0)
    await narrator.say('harness', `Frozen tools that their servers do not offer: ${opened.missing.join(', ')}`);
  return opened;
}

/** The tools of the run's connected services; most runs have none, and their code is loaded only here. */
async function connectedTools({ settings, log }: RunnerOptions, broker: Broker): Promise<CanonicalTool[]> {
  const { brokered } = settings.capabilities;
  if (brokered.length === 0) return [];
  log(`${brokered.length} connected services`);
  const { brokeredTools } = await import('./mcp/brokered-tools.js');
  return brokeredTools(brokered, broker);
}

function harnessContext(
  { settings, tokens, log }: RunnerOptions,
  { contract, transport, stop }: RunParts,
  made: {
    narrator: Narrator;
    workspace: WorkspaceRoot;
    bridge: LoopbackBridge | null;
    wayOut: WayOut;
    sandboxTools: SandboxTools;
    brokered: CanonicalTool[];
  },
): HarnessContext {
  return {
    settings,
    contract,
    narrator: made.narrator,
    tools: {
      workspace: made.workspace,
      environment: toolEnvironment(made.workspace.path, settings.agentVariables, made.wayOut.variables),
      network: made.wayOut,
      signal: stop.signal,
    },
    sandboxTools: made.sandboxTools,
    mcpTools: [...made.sandboxTools.tools, ...made.brokered],
    model: {
      baseUrl: `${settings.controlUrl}/internal/llm`,
      token: tokens.llm,
      fetch: transport.modelFetch((status, text) => contract.inspectRefusal('llm', status, text)),
    },
    probe: async (items, observed) => {
      // Loaded only by the few runs that probe, because every run waits for the first file of the bundle.
      const { performProbes } = await import('./probe/contract-probe.js');
      const address = { baseUrl: settings.controlUrl, socketPath: settings.planeSocket };
      await performProbes({ address, runId: settings.runId, tokens }, items, observed);
    },
    loopbackUrl: made.bridge?.url ?? null,
    signal: stop.signal,
    log,
  };
}

async function leave(reason: StopReason, contract: ContractClient, log: RunnerLog): Promise<ExitCode> {
  if (reason.kind === 'quiesce') return EXIT.done;
  if (reason.kind === 'ungoverned_tool') {
    log(reason.message);
    await contract.lastWord({ actor: 'harness', type: 'run.error', data: { message: reason.message } });
    return EXIT.ungovernedTool;
  }
  const text = `The control plane refused the runner's token on ${reason.route} (wrong_audience); the run cannot go on.`;
  log(text);
  await contract.lastWord({ actor: 'harness', type: 'agent.message', data: { role: 'system', text } });
  return EXIT.wrongAudience;
}

function timingOf(options: RunnerOptions): { timing?: ContractTiming } {
  return options.timing === undefined ? {} : { timing: options.timing };
}
