import type { Command } from 'commander';
import { textOf } from '../server/event-data.js';
import { shortId } from '../server/runs.js';
import { findTrigger, listTriggers, readTrigger } from '../server/triggers.js';
import type { AddressedTrigger, Trigger, TriggerWithHistory } from '../server/wire.js';
import { wholeNumber } from '../terminal/arguments.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRecord, printRows, write } from '../terminal/output.js';
import { contextOf, type CommandContext } from './program-context.js';
import { registerTriggerChanges } from './triggers-change.js';

const KEY = 'name, id, or the beginning or end of an id';

export function registerTriggerCommands(program: Command): void {
  const triggers = program
    .command('triggers')
    .description('What starts runs by itself: a token for CI, a clock, or events of a code host.');
  triggers
    .command('list', { isDefault: true })
    .description('List triggers, newest first.')
    .option('--limit <n>', 'at most so many', wholeNumber, 50)
    .action((flags: { limit: number }, command: Command) => list(flags, contextOf(command)));
  triggers
    .command('show')
    .description('Show a trigger, its next five firings and where it is reached; never its token.')
    .argument('<trigger>', KEY)
    .action((key: string, _flags: unknown, command: Command) => show(key, contextOf(command)));
  triggers
    .command('history')
    .description('What a trigger was asked for, what came of it, and where results went.')
    .argument('<trigger>', KEY)
    .action((key: string, _flags: unknown, command: Command) => history(key, contextOf(command)));
  registerTriggerChanges(triggers);
  for (const [verb, description] of [
    ['enable', 'Let a trigger start runs again.'],
    ['disable', 'Keep a trigger from starting runs; those under way go on without its credentials.'],
  ] as const)
    triggers
      .command(verb)
      .description(description)
      .argument('<trigger>', KEY)
      .action((key: string, _flags: unknown, command: Command) => switchTo(verb, key, contextOf(command)));
  triggers
    .command('rotate')
    .description('Replace the token of a trigger. The old one is no longer good, and undelivered results stay so.')
    .argument('<trigger>', KEY)
    .action((key: string, _flags: unknown, command: Command) => rotate(key, contextOf(command)));
  triggers
    .command('run-now')
    .description('Start a run of a trigger by hand; not of one that listens to events.')
    .argument('<trigger>', KEY)
    .action((key: string, _flags: unknown, command: Command) => runNow(key, contextOf(command)));
}

async function list({ limit }: { limit: number }, { client, format }: CommandContext): Promise<void> {
  const columns = [
    { title: 'TRIGGER', value: (one: Trigger) => shortId(one.id) },
    { title: 'NAME', value: (one: Trigger) => one.name, width: 40 },
    { title: 'AGENT', value: (one: Trigger) => one.agent, width: 30 },
    { title: 'KIND', value: (one: Trigger) => one.trigger_kind },
    { title: 'STATUS', value: statusOf },
    { title: 'IF BUSY', value: (one: Trigger) => one.concurrency_policy },
    { title: 'NEXT', value: (one: Trigger) => (one.enabled ? (one.next_fire_at ?? '') : '') },
  ];
  printRows(format, await listTriggers(client, limit), columns, 'No triggers.');
}

function statusOf({ enabled }: Trigger): string {
  return enabled ? 'enabled' : 'disabled';
}

async function show(key: string, { client, format }: CommandContext): Promise<void> {
  const trigger = await readTrigger(client, await findTrigger(client, key));
  printRecord(format, trigger, [
    ['Trigger', trigger.name],
    ['Id', trigger.id],
    ['Agent', trigger.agent],
    ['Revision', trigger.pinned_revision_id ?? 'the latest'],
    ['Kind', trigger.trigger_kind],
    ['Status', statusOf(trigger)],
    ['Task', trigger.task_template ?? 'of the invocation'],
    ['Overrides', overridesOf(trigger)],
    ['Mode', trigger.autonomous ? 'autonomous' : 'supervised'],
    ['If busy', trigger.concurrency_policy],
    ...(trigger.budgets === null ? [] : [['Budgets', JSON.stringify(trigger.budgets)] as const]),
    ...(trigger.workspace === null ? [] : [['Workspace', JSON.stringify(trigger.workspace)] as const]),
    ...(trigger.capabilities === null ? [] : [['Bundles', trigger.capabilities.join(', ') || 'none'] as const]),
    ...clockLines(trigger),
    ...eventLines(trigger),
    ['Callback', trigger.callback_url ?? ''],
    ['Invoke', trigger.invoke_url],
    ['Created', trigger.created_at],
    ['Updated', trigger.updated_at],
  ]);
}

function overridesOf({ allow_task_override: task, allow_workspace_override: workspace }: Trigger): string {
  return [...(task ? ['task'] : []), ...(workspace ? ['ref and commit'] : [])].join(', ') || 'none';
}

function clockLines({ schedule, next_firings: next }: AddressedTrigger): [string, string][] {
  if (schedule === null) return [];
  return [
    ['Schedule', `${schedule.cron}  ${schedule.timezone}`],
    ['If missed', schedule.missed_run_policy],
    ['Last run for', schedule.last_fired_at ?? ''],
    ['Next', next.length === 0 ? 'never' : next.join('\n')],
  ];
}

function eventLines(trigger: AddressedTrigger): [string, string][] {
  if (trigger.connection === null) return [];
  return [
    ['Connection', trigger.connection],
    ['Repositories', trigger.repositories?.join(', ') || 'all that the connection sees'],
    ['Events', trigger.events?.join(', ') ?? ''],
    ['Publishes', trigger.publish?.join(', ') || 'nothing'],
    ['Webhook', trigger.ingress_url ?? ''],
  ];
}

/** A time that a trigger was asked for a run, by an invocation or an event. */
interface Asked {
  at: string;
  by: string;
  run: string | null;
  reason: string | null;
}

function askedOf({ invocations, dispatches }: Pick<TriggerWithHistory, 'invocations' | 'dispatches'>): Asked[] {
  return [
    ...invocations.map((one) => ({ ...one, by: one.idempotency_key })),
    ...dispatches.map((one) => ({ ...one, by: `${one.event_type} ${one.resource}` })),
  ]
    .map(({ created_at: at, by, session_id: run, skip_reason: reason }) => ({ at, by, run, reason }))
    .sort((one, other) => other.at.localeCompare(one.at));
}

async function history(key: string, { client, format }: CommandContext): Promise<void> {
  const trigger = await readTrigger(client, await findTrigger(client, key));
  const { invocations, dispatches, deliveries, sessions } = trigger;
  if (format !== 'table') return printDocument(format, { invocations, dispatches, deliveries, sessions });
  const runs = new Map(sessions.map((session) => [session.id, session.status]));
  printRows(
    format,
    askedOf(trigger),
    [
      { title: 'ASKED', value: (one) => one.at },
      { title: 'KEY OR EVENT', value: (one) => one.by, width: 50 },
      { title: 'RUN', value: (one) => (one.run === null ? '' : shortId(one.run)) },
      { title: 'OUTCOME', value: (one) => one.reason ?? runs.get(one.run ?? '') ?? '', width: 60 },
    ],
    'Never asked for a run.',
  );
  if (deliveries.length === 0) return;
  write('');
  printRows(
    format,
    deliveries,
    [
      { title: 'DELIVERY', value: (one) => shortId(one.id) },
      { title: 'RUN', value: (one) => shortId(one.session_id) },
      { title: 'TO', value: (one) => textOf(one.destination, 'kind') },
      { title: 'STATUS', value: (one) => one.status },
      { title: 'ATTEMPTS', value: (one) => String(one.attempts) },
      { title: 'LAST ERROR', value: (one) => one.last_error ?? '', width: 60 },
    ],
    '',
  );
}

async function switchTo(verb: 'enable' | 'disable', key: string, { client, format }: CommandContext): Promise<void> {
  const params = { path: { id: await findTrigger(client, key) } };
  const answer = await client.call((api) =>
    verb === 'enable'
      ? api.POST('/v1/triggers/{id}/enable', { params })
      : api.POST('/v1/triggers/{id}/disable', { params }),
  );
  if (format === 'table') write(`${inline(answer.name)} ${answer.id} is ${statusOf(answer)}`);
  else printDocument(format, answer);
}

async function rotate(key: string, { client, format }: CommandContext): Promise<void> {
  const params = { path: { id: await findTrigger(client, key) } };
  const answer = await client.call((api) => api.POST('/v1/triggers/{id}/rotate_token', { params }));
  if (format !== 'table') return printDocument(format, answer);
  printRecord(format, answer, [
    ['Token', `${answer.token}  (shown this once)`],
    ['Revoked', String(answer.revoked)],
    ['Invoke', answer.invoke_url],
  ]);
}

async function runNow(key: string, { client, format }: CommandContext): Promise<void> {
  const params = { path: { id: await findTrigger(client, key) } };
  const answer = await client.call((api) => api.POST('/v1/triggers/{id}/run-now', { params }));
  if (format === 'table') write(`${answer.session.id} is ${inline(answer.session.status)}`);
  else printDocument(format, answer);
}
