import { Option, type Command } from 'commander';
import { isJsonObject } from '../../domain/json.js';
import { CONCURRENCY_POLICIES, MISSED_RUN_POLICIES } from '../../domain/triggers/subscription.js';
import { findConnection } from '../server/connections.js';
import type { SandgateClient } from '../server/sandgate-client.js';
import { findTrigger } from '../server/triggers.js';
import type { AddressedTrigger, CreatedTrigger, NewTrigger, TriggerChange } from '../server/wire.js';
import { wordsOf } from '../terminal/arguments.js';
import { block, inline } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { printDocument, printRecord, write } from '../terminal/output.js';
import { ciSnippet, curlLine } from '../views/trigger-recipe.js';
import { readDocument, readNamedText } from './document.js';
import { contextOf, type CommandContext } from './program-context.js';

/** What `create` and `edit` have in common. */
interface MutableFlags {
  readonly name?: string;
  readonly task?: string;
  readonly taskFile?: string;
  readonly cron?: string;
  readonly timezone?: string;
  readonly ifMissed?: string;
  readonly ifBusy?: string;
  readonly callback?: string;
  readonly taskOverride?: boolean;
  readonly workspaceOverride?: boolean;
}

interface CreateFlags extends MutableFlags {
  readonly agent?: string;
  readonly revision?: string;
  readonly autonomous?: boolean;
  readonly connection?: string;
  readonly repositories?: string;
  readonly events?: string;
  readonly publish?: string;
  readonly git?: string;
  readonly ref?: string;
}

export function registerTriggerChanges(triggers: Command): void {
  mutable(
    triggers
      .command('create')
      .description(
        'Create a trigger from options, a YAML or JSON document, or both, and print its token and how to invoke it. With --cron it is a clock, with --connection it listens to events.',
      )
      .argument('[file]', 'the document, - for standard input; options win over it')
      .option('--agent <agent>', 'name or id')
      .option('--revision <id>', 'run this revision of the agent, whatever follows')
      .option('--autonomous', 'no approval ever waits')
      .option('--connection <connection>', 'listen to events of this connection to a code host')
      .option('--repositories <names>', 'with --connection: owner/name, separated by commas; all when left out')
      .option('--events <names>', 'with --connection: opened, reopened, synchronize; the first two when left out')
      .option('--publish <kinds>', 'with --connection: pr_comment, check, or none; pr_comment when left out')
      .option('--git <repository>', 'workspace of its runs: owner/name, or an address to clone')
      .option('--ref <ref>', 'branch or tag of --git'),
  ).action((file: string | undefined, flags: CreateFlags, command: Command) => create(file, flags, contextOf(command)));
  mutable(
    triggers
      .command('edit')
      .description('Change a trigger by options, a document, or both; what is left out stays.')
      .argument('<trigger>', 'name, id, or the beginning or end of an id')
      .argument('[file]', 'the document, - for standard input; options win over it'),
  ).action((key: string, file: string | undefined, flags: MutableFlags, command: Command) =>
    edit(key, file, flags, contextOf(command)),
  );
}

function mutable(command: Command): Command {
  return command
    .option('--name <name>', 'one line, unique in the organization')
    .option('--task <template>', 'what to do; {{key}} is filled in')
    .option('--task-file <file>', 'the same from a file, - for standard input')
    .option('--cron <expression>', 'five fields, six with seconds, or seven with a year')
    .option('--timezone <zone>', 'of --cron; UTC when left out')
    .addOption(new Option('--if-missed <policy>', 'of --cron').choices(MISSED_RUN_POLICIES))
    .addOption(new Option('--if-busy <policy>', 'while another run is not over').choices(CONCURRENCY_POLICIES))
    .option('--callback <url>', 'where results go, signed; "" for nowhere')
    .option('--task-override', 'let an invocation bring its own task')
    .option('--no-task-override', 'never')
    .option('--workspace-override', 'let an invocation choose ref and commit')
    .option('--no-workspace-override', 'never');
}

async function create(file: string | undefined, flags: CreateFlags, { client, format }: CommandContext): Promise<void> {
  const body = { ...documentOf(file), ...(await membersOf(flags, client)) } as NewTrigger;
  withClock(body, flags);
  const created = await client.call((api) => api.POST('/v1/triggers', { body }));
  if (format === 'table') printCreated(created);
  else printDocument(format, created);
}

async function edit(
  key: string,
  file: string | undefined,
  flags: MutableFlags,
  { client, format }: CommandContext,
): Promise<void> {
  const body = { ...documentOf(file), ...mutableMembers(flags) };
  withClock(body, flags);
  if (Object.keys(body).length === 0) throw new CliError('say what is to be another', EXIT.usage);
  const id = await findTrigger(client, key);
  const changed = await client.call((api) => api.PATCH('/v1/triggers/{id}', { params: { path: { id } }, body }));
  if (format !== 'table') return printDocument(format, changed);
  write(`${inline(changed.name)} ${changed.id} is changed`);
  const lines = [...secretLines(changed), ...firingLines(changed)];
  if (lines.length > 0) printRecord(format, changed, lines);
}

function documentOf(file: string | undefined): Record<string, unknown> {
  if (file === undefined) return {};
  const document = readDocument(file);
  if (!isJsonObject(document)) throw new CliError(`${inline(file)}: must be a mapping`, EXIT.usage);
  return document;
}

function mutableMembers(flags: MutableFlags): Partial<TriggerChange> {
  const { name, task, taskFile, callback, ifBusy, taskOverride, workspaceOverride } = flags;
  if (task !== undefined && taskFile !== undefined)
    throw new CliError('--task and --task-file exclude each other', EXIT.usage);
  const template = taskFile === undefined ? task : readNamedText(taskFile);
  return {
    ...(name === undefined ? {} : { name }),
    ...(template === undefined ? {} : { task_template: template }),
    ...(callback === undefined ? {} : { callback_url: callback }),
    ...(ifBusy === undefined ? {} : { concurrency_policy: ifBusy as 'allow' }),
    ...(taskOverride === undefined ? {} : { allow_task_override: taskOverride }),
    ...(workspaceOverride === undefined ? {} : { allow_workspace_override: workspaceOverride }),
  };
}

async function membersOf(flags: CreateFlags, client: SandgateClient): Promise<Partial<NewTrigger>> {
  const { agent, revision, autonomous, connection, repositories, events, publish, git, ref } = flags;
  if (ref !== undefined && git === undefined) throw new CliError('--ref is of --git', EXIT.usage);
  return {
    ...(mutableMembers(flags) as Partial<NewTrigger>),
    ...(agent === undefined ? {} : { agent }),
    ...(revision === undefined ? {} : { pinned_revision_id: revision }),
    ...(autonomous === undefined ? {} : { autonomous }),
    ...(connection === undefined ? {} : { connection: (await findConnection(client, connection)).id }),
    ...(repositories === undefined ? {} : { repositories: wordsOf(repositories) }),
    ...(events === undefined ? {} : { events: wordsOf(events) }),
    ...(publish === undefined ? {} : { publish: publish === 'none' ? [] : wordsOf(publish) }),
    ...(git === undefined ? {} : { workspace: gitWorkspace(git, ref) }),
  };
}

function gitWorkspace(git: string, ref: string | undefined): NonNullable<NewTrigger['workspace']> {
  const where = git.includes('://') ? { clone_url: git } : { repository: git };
  return { kind: 'git_repository', ...where, ...(ref === undefined ? {} : { ref }) };
}

/** Options change single members of the document's clock. */
function withClock(body: NewTrigger | TriggerChange, { cron, timezone, ifMissed }: MutableFlags): void {
  const members = {
    ...(cron === undefined ? {} : { cron }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(ifMissed === undefined ? {} : { missed_run_policy: ifMissed as 'skip' }),
  };
  if (Object.keys(members).length === 0) return;
  body.schedule = { ...body.schedule, ...members };
}

function printCreated(created: CreatedTrigger): void {
  write(`${inline(created.name)} ${created.id}`);
  printRecord('table', created, [
    ['Token', `${created.token}  (shown this once)`],
    ...secretLines(created),
    ...firingLines(created),
    ...(created.ingress_url === null ? [] : [['Webhook', created.ingress_url] as const]),
  ]);
  if (created.trigger_kind !== 'api') return;
  write('\nFrom a shell, with the token in the variable:\n');
  write(block(indent(curlLine(created))));
  write('\nAs a step of GitHub Actions, Gitea or Forgejo, with the token as a secret of the repository:\n');
  write(block(indent(ciSnippet(created))));
}

function secretLines(of: {
  callback_secret?: string | null;
  callback_secret_standard?: string | null;
}): [string, string][] {
  if (of.callback_secret == null) return [];
  return [
    ['Callback secret', `${of.callback_secret}  (shown this once)`],
    ['… for Standard Webhooks', of.callback_secret_standard ?? ''],
  ];
}

function firingLines({ schedule, next_firings: next }: AddressedTrigger): [string, string][] {
  return schedule === null ? [] : [['Next firings', next.join('\n')]];
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
