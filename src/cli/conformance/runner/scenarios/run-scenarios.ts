import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { JsonObject } from '../../../../domain/json.js';
import { byConversation, reply } from '../../../demo/wire/model-script.js';
import type { ModelScript } from '../../../demo/wire/model-script.js';
import { startScriptedModel } from '../../../demo/scripted-model.js';
import { fail, isWanted, skip } from '../../check.js';
import type { CheckResult, Finding } from '../../check.js';
import type { Clock, Obligation, RunnerExit, RunnerRecord } from '../record.js';
import { SERVICE_TOOL, type Scenario } from '../scenario.js';
import { SCENARIOS } from './index.js';
import { ScriptedPlane } from '../scripted-plane.js';
import type { RunnerStarter, ScenarioWorkspace, StartedRunner } from '../starter.js';

export interface FixtureOptions {
  starter: RunnerStarter;
  /** Whether the runner's agent is a script in its task, or asks a model. */
  agent: 'script' | 'model';
  /** Values of `SERVICE_HARNESS` and `SERVICE_MODEL`. */
  harness: string;
  model: string;
  clock: Clock;
  /** Ids of obligations or beginnings of ids; all when empty. */
  only: readonly string[];
  /** Scenarios that go on at a time. */
  atOnce: number;
  /** Hands out the plane's address on 127.0.0.1 instead of its socket. */
  tcp: boolean;
  notice: (line: string) => void;
}

/** Runs a runner through every scenario; resolves with what held of the obligations that were asked for. */
export async function runScenarios(options: FixtureOptions): Promise<CheckResult[]> {
  const wanted = SCENARIOS.filter(({ obligations }) => obligations.some(({ id }) => isWanted(id, options.only)));
  const limit = pLimit(options.atOnce);
  const results = await Promise.all(wanted.map((scenario) => limit(() => judgeScenario(scenario, options))));
  return results.flat();
}

async function judgeScenario(scenario: Scenario, options: FixtureOptions): Promise<CheckResult[]> {
  const obligations = scenario.obligations.filter(({ id }) => isWanted(id, options.only));
  const unsuitable = unsuitableFor(scenario, options);
  if (unsuitable !== null) return obligations.map((one) => resultOf(one, skip(unsuitable)));
  options.notice(`scenario: ${scenario.name}`);
  await using scene = await openScene(scenario, options);
  try {
    const record = await play(scenario, options, scene);
    return await Promise.all(obligations.map(async (one) => resultOf(one, await one.judge(record))));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return obligations.map((one) => resultOf(one, fail(reason)));
  }
}

function unsuitableFor({ modelFirst, document }: Scenario, { agent, starter }: FixtureOptions): string | null {
  if (modelFirst !== undefined && agent !== 'model') return 'this agent calls no model';
  return document !== undefined && !starter.seesExit ? 'only for runners that the fixture starts itself' : null;
}

interface Scene extends AsyncDisposable {
  plane: ScriptedPlane;
  workspace: ScenarioWorkspace;
}

async function openScene(scenario: Scenario, { clock, agent, tcp, starter }: FixtureOptions): Promise<Scene> {
  const provider =
    agent === 'model' ? await startScriptedModel({ script: modelOf(scenario), apiKey: 'upstream-key' }) : null;
  const plane = await ScriptedPlane.start({
    ...scenario.plane(clock),
    tcp,
    ...(starter.planeFolder === undefined ? {} : { folder: starter.planeFolder }),
    ...(provider === null ? {} : { modelUrl: provider.url }),
  });
  const workspace = await starter.workspace();
  return {
    plane,
    workspace,
    [Symbol.asyncDispose]: async () => {
      await plane.stop();
      await provider?.close();
      await workspace.remove();
    },
  };
}

/** The agent's commands as a model calls for them, one a turn. */
function modelOf(scenario: Scenario): ModelScript {
  const { failing, modelFirst = [] } = scenario;
  if (failing === true) return () => ({ kind: 'error', status: 400, message: 'the request cannot be answered' });
  const turns = byConversation([
    ...stepsOf(scenario).map((step, n) => reply({ ...step, id: `toolu_conformance_${n + 1}` })),
    reply({ text: 'Done.' }),
  ]);
  return (request) => modelFirst[request.index] ?? turns(request);
}

/** Calls of the connected service, then the commands. */
function stepsOf({ commands, services = [] }: Scenario): { tool: string; input: JsonObject }[] {
  return [
    ...services.map((input) => ({ tool: SERVICE_TOOL, input })),
    ...commands.map((command) => ({ tool: 'Bash', input: { command } })),
  ];
}

function taskOf(scenario: Scenario, agent: FixtureOptions['agent']): string {
  if (agent === 'model') return 'Do what is to be done.';
  return scenario.failing === true ? 'no list of steps' : JSON.stringify(stepsOf(scenario));
}

/** A connected service as the launcher tells a runner of it. */
const CAPABILITIES = JSON.stringify({
  servers: [
    {
      class: 'brokered',
      name: 'crm',
      tools: [{ name: 'find', description: 'Finds a customer.', input_schema: { type: 'object' } }],
    },
  ],
});

function handOff(scenario: Scenario, options: FixtureOptions, { plane, workspace }: Scene): string {
  const variables = {
    SERVICE_CONTROL_URL: plane.url ?? 'http://plane',
    ...(options.tcp ? {} : { SERVICE_PLANE_SOCKET: options.starter.socketPath(plane) }),
    SERVICE_SESSION_ID: plane.runId,
    SERVICE_HARNESS: options.harness,
    SERVICE_TASK: taskOf(scenario, options.agent),
    SERVICE_AUTONOMY: 'supervised',
    SERVICE_MODEL: options.model,
    SERVICE_WORKSPACE: workspace.inside,
    SERVICE_REPLAY_DELAY_MS: '0',
    ...(scenario.services === undefined ? {} : { SERVICE_CAPABILITIES: CAPABILITIES }),
  };
  const document = JSON.stringify({ variables, tokens: plane.tokens });
  return scenario.document?.(document) ?? document;
}

async function play(scenario: Scenario, options: FixtureOptions, scene: Scene): Promise<RunnerRecord> {
  const { plane, workspace } = scene;
  const notes = new Map<string, number>();
  const startedAt = performance.now();
  const runner = await options.starter.start(handOff(scenario, options, scene), plane, workspace);
  let over = false;
  const ended = runner.exit.finally(() => (over = true));
  const until = async (holds: () => boolean): Promise<boolean> => {
    while (!holds() && !over) await sleep(10);
    return holds();
  };
  const conducting = scenario.conduct?.({
    ...{ plane, workspace: workspace.path, clock: options.clock, ended, until },
    note: (name, value) => notes.set(name, value),
  });
  let visible = '';
  const looking = until(() => plane.requests.length > 0).then(() => (visible = runner.visible()));
  const limitMs = options.starter.seesExit ? options.clock.ms(scenario.limitSecs) + options.clock.slackMs * 2 : null;
  const exit = await within(limitMs, ended, runner);
  const endedAt = performance.now();
  await Promise.all([conducting, looking]);
  runner.kill();
  return { plane, workspace: workspace.path, exit, startedAt, endedAt, notes, visible, clock: options.clock };
}

async function within(limitMs: number | null, ended: Promise<RunnerExit>, runner: StartedRunner): Promise<RunnerExit> {
  if (limitMs === null) return ended;
  const patience = new AbortController();
  const late = sleep(limitMs, 'late' as const, { signal: patience.signal }).catch(() => 'late' as const);
  const first = await Promise.race([ended, late]);
  patience.abort();
  if (first !== 'late') return first;
  runner.kill();
  await ended;
  return { code: null, killed: true };
}

function resultOf({ id, title, section, expected }: Obligation, finding: Finding): CheckResult {
  return { id, title, section, expected, ...finding };
}
