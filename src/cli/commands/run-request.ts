import { isUuid } from '../../domain/uuid.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { fromCaller } from './program-context.js';
import { findConnection } from '../server/connections.js';
import { textOf } from '../server/event-data.js';
import { findRun, workspaceOf } from '../server/runs.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import type { NewRun, Session } from '../server/wire.js';
import { readNamedText } from './document.js';

export interface RunFlags {
  readonly agent: string;
  readonly workspace?: string;
  readonly upload?: boolean;
  readonly git?: string;
  readonly ref?: string;
  readonly include?: string[];
  readonly taskFile?: string;
  readonly autonomous?: boolean;
  readonly allowUnpriced?: boolean;
  readonly capabilities?: string;
  readonly network?: string;
  readonly label?: Record<string, string>;
  /** Connections by slot, each as a person names it. */
  readonly bind?: Record<string, string>;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly maxCalls?: number;
  readonly maxTime?: number;
  readonly again?: string;
  readonly detach?: boolean;
}

type Workspace = NonNullable<NewRun['workspace']>;
type Budgets = NonNullable<NewRun['budgets']>;
type Network = NonNullable<NewRun['network']>;

/** What `sandgate run` asks the server for. Throws `CliError` for a command line that cannot be a request. */
export async function composeRun(words: string[], flags: RunFlags, client: SandgateClient): Promise<NewRun> {
  if (flags.workspace !== undefined && flags.git !== undefined) {
    throw new CliError('--workspace and --git exclude each other', EXIT.usage);
  }
  if (flags.upload === true && flags.workspace === undefined)
    throw new CliError('--upload sends the folder that --workspace names', EXIT.usage);
  const task = taskText(words, flags);
  if (flags.again === undefined && task === '')
    throw new CliError('give a task, for example: sandgate run "make the tests pass" --workspace .', EXIT.usage);
  const bindings = flags.bind === undefined ? {} : { bindings: await idsOf(flags.bind, client) };
  if (flags.again !== undefined) return { ...repeated(await findRun(client, flags.again), task, flags), ...bindings };
  return { ...complete({ agent: flags.agent, task }, flags), ...bindings };
}

async function idsOf(bind: Readonly<Record<string, string>>, client: SandgateClient): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [slot, key] of Object.entries(bind)) {
    // A whole id is passed on, because the server's refusal names the slot.
    ids[slot] = isUuid(key) ? key : (await findConnection(client, key)).id;
  }
  return ids;
}

function repeated(earlier: Session, task: string, flags: RunFlags): NewRun {
  const workspace = requestedWorkspace(earlier, flags);
  const base = {
    agent: earlier.agent_id,
    task: task || earlier.task,
    ...(workspace === undefined ? {} : { workspace }),
    budgets: { ...earlier.budgets },
    labels: earlier.labels,
    capabilities: bundlesOf(earlier),
    network: networkOf(earlier),
  };
  return complete(base, { ...flags, autonomous: flags.autonomous ?? earlier.autonomy === 'autonomous' });
}

/** The bundles of the earlier run; the agent may have more by now. */
function bundlesOf(earlier: Session): string[] {
  const frozen = earlier.run_spec['capabilities'];
  return Array.isArray(frozen) ? frozen.map((bundle: Record<string, unknown>) => textOf(bundle, 'name')) : [];
}

/** An offline run stays offline, whatever its agent may reach by now. */
function networkOf(earlier: Session): Network {
  const { mode } = earlier.run_spec['network'] as { mode: string };
  return { mode: mode === 'approved' ? 'approved' : 'offline' };
}

/** A word with a port is a target, any other names a preset. */
function networkOfFlag(network: string): Network {
  if (network === 'offline' || network === 'approved') return { mode: network };
  const words = network.split(',').map((word) => word.trim());
  const [targets, presets] = [words.filter(hasPort), words.filter((word) => !hasPort(word))];
  return {
    mode: 'approved',
    ...(targets.length === 0 ? {} : { targets }),
    ...(presets.length === 0 ? {} : { presets }),
  };
}

function hasPort(word: string): boolean {
  return word.includes(':');
}

/** `none` keeps no bundle. */
function namesIn(list: string): string[] {
  return list === 'none' ? [] : list.split(',').map((name) => name.trim());
}

function complete(base: Omit<NewRun, 'autonomous' | 'allow_unpriced'>, flags: RunFlags): NewRun {
  const workspace = workspaceOfFlags(flags) ?? base.workspace;
  const budgets = { ...base.budgets, ...budgetsOfFlags(flags) };
  return {
    ...base,
    ...(workspace === undefined ? {} : { workspace }),
    ...(Object.keys(budgets).length === 0 ? {} : { budgets }),
    ...(flags.capabilities === undefined ? {} : { capabilities: namesIn(flags.capabilities) }),
    ...(flags.network === undefined ? {} : { network: networkOfFlag(flags.network) }),
    ...(flags.label === undefined ? {} : { labels: { ...base.labels, ...flags.label } }),
    autonomous: flags.autonomous === true,
    allow_unpriced: flags.allowUnpriced === true,
  };
}

/** The frozen form holds members that a request may not have. */
function requestedWorkspace(earlier: Session, flags: RunFlags): Workspace | undefined {
  if (workspaceOf(earlier)['kind'] === 'upload') {
    if (flags.workspace !== undefined || flags.git !== undefined) return undefined;
    throw new CliError(
      'the files of that run were uploaded for it alone; say where they are with --workspace <folder>',
      EXIT.usage,
    );
  }
  const members = Object.entries(workspaceOf(earlier)).filter(([member]) => member !== 'binding_id');
  return Object.fromEntries(members) as unknown as Workspace;
}

function workspaceOfFlags({ workspace, git, ref, include }: RunFlags): Workspace | undefined {
  if (workspace !== undefined) {
    return { kind: 'local_copy', path: fromCaller(workspace), ...(include === undefined ? {} : { include }) };
  }
  if (git === undefined) return undefined;
  const at = ref === undefined ? {} : /^[0-9a-f]{40}$/.test(ref) ? { commit_sha: ref } : { ref };
  return { kind: 'git_repository', clone_url: git, ...at };
}

function budgetsOfFlags({ maxCost, maxTokens, maxCalls, maxTime }: RunFlags): Budgets {
  return {
    ...(maxCost === undefined ? {} : { max_cost_usd: maxCost }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(maxCalls === undefined ? {} : { max_tool_calls: maxCalls }),
    ...(maxTime === undefined ? {} : { max_wall_clock_secs: maxTime }),
  };
}

function taskText(words: string[], flags: RunFlags): string {
  if (flags.taskFile === undefined) return words.join(' ');
  if (words.length > 0) throw new CliError('give the task in words or with --task-file, not both', EXIT.usage);
  return readNamedText(flags.taskFile);
}
