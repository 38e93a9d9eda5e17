import type { Command } from 'commander';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import type { Schemas } from '../../client/client.js';
import type { Agent } from '../server/wire.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRecord, printRows, write } from '../terminal/output.js';
import { readDocument } from './document.js';

export function registerAgentCommands(program: Command): void {
  const agents = program.command('agents').description('List, show and register agents.');
  agents
    .command('list', { isDefault: true })
    .description('List agents.')
    .action((_flags: unknown, command: Command) => list(contextOf(command)));
  agents
    .command('show')
    .description('Show an agent and its newest revision.')
    .argument('<agent>', 'name or id')
    .action((name: string, _flags: unknown, command: Command) => show(name, contextOf(command)));
  agents
    .command('create')
    .description(
      'Register an agent from a YAML or JSON document (name, description, harness, model, policy, system_prompt, budgets, capability_bundles, network, setup, env, sandbox …).',
    )
    .argument('<file>', 'the document, - for standard input')
    .action((file: string, _flags: unknown, command: Command) => create(file, contextOf(command)));
  agents
    .command('revise')
    .description('Append a revision; what the document leaves out is inherited.')
    .argument('<agent>', 'name or id')
    .argument('<file>', 'the document, - for standard input')
    .action((name: string, file: string, _flags: unknown, command: Command) => revise(name, file, contextOf(command)));
}

async function list({ client, format }: CommandContext): Promise<void> {
  const { agents } = await client.call((api) => api.GET('/v1/agents'));
  const columns = [
    { title: 'AGENT', value: (agent: Agent) => agent.name, width: 40 },
    { title: 'DESCRIPTION', value: (agent: Agent) => agent.description ?? '', width: 80 },
  ];
  printRows(format, agents, columns, 'No agents.');
}

async function show(name: string, { client, format }: CommandContext): Promise<void> {
  const answer = await client.call((api) => api.GET('/v1/agents/{id}', { params: { path: { id: name } } }));
  const [newest] = answer.revisions;
  printRecord(format, answer, [
    ['Agent', answer.agent.name],
    ['Id', answer.agent.id],
    ['Description', answer.agent.description ?? ''],
    ['Revision', String(newest?.rev ?? '')],
    ['Harness', newest?.harness ?? ''],
    ['Model', newest?.model ?? ''],
    ['Policy', newest?.policy ?? ''],
    ['Budgets', JSON.stringify(newest?.budgets ?? null)],
    ['Bundles', (newest?.capability_bundles ?? []).map((pin) => `${pin.name}@${pin.version}`).join(', ')],
    ['Connections', (newest?.connection_requirements ?? []).map(requirementText).join('\n')],
    ['Workspace', newest?.default_workspace ? JSON.stringify(newest.default_workspace) : ''],
    ['Sandbox', newest?.sandbox ? JSON.stringify(newest.sandbox) : ''],
    ['Network', newest?.network ? networkText(newest.network) : 'offline'],
    ['Setup', newest?.setup?.commands.join('\n') ?? ''],
    ['Variables', variablesOf(newest?.env ?? {})],
    ['System prompt', newest?.system_prompt ?? ''],
  ]);
}

type Requirement = Schemas['ConnectionRequirementBody'];

function requirementText({ slot, connector, required_tools, binding_mode }: Requirement): string {
  return `${slot} (${binding_mode}): ${connector.url}, ${required_tools.join(' ')}`;
}

function networkText({ mode, targets, presets, duration_secs: secs }: Schemas['NetworkBody']): string {
  const names = [...(presets ?? []), ...(targets ?? [])].join(', ');
  const until = typeof secs === 'number' ? ` (${secs} s)` : '';
  return names === '' ? mode : `${mode}: ${names}${until}`;
}

function variablesOf(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

async function create(file: string, { client, format }: CommandContext): Promise<void> {
  const body = readDocument(file) as Schemas['CreateAgent'];
  const answer = await client.call((api) => api.POST('/v1/agents', { body }));
  if (format === 'table') write(`${inline(answer.agent.name)} ${answer.agent.id}`);
  else printDocument(format, answer);
}

async function revise(name: string, file: string, { client, format }: CommandContext): Promise<void> {
  const body = readDocument(file) as Schemas['AddRevision'];
  const answer = await client.call((api) =>
    api.POST('/v1/agents/{id}/revisions', { params: { path: { id: name } }, body }),
  );
  if (format === 'table') write(`${inline(name)} revision ${answer.revision.rev}`);
  else printDocument(format, answer);
}
