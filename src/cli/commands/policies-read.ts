import type { Command } from 'commander';
import type { Schemas } from '../../client/client.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { wholeNumber } from '../terminal/arguments.js';
import { block, inline } from '../terminal/escape.js';
import { printDocument, printRows, write } from '../terminal/output.js';

interface ShowFlags {
  readonly version?: number;
  readonly matrix?: boolean;
}

type ListItem = Schemas['PolicyListItem'];
type MatrixRow = Schemas['MatrixRowView'];

export function registerPolicyReads(policies: Command): void {
  policies
    .command('list', { isDefault: true })
    .description('List the newest version of every policy.')
    .action((_flags: unknown, command: Command) => list(contextOf(command)));
  policies
    .command('show')
    .description('Print a policy, as YAML.')
    .argument('<policy>', 'name')
    .option('--version <number>', 'an earlier version', wholeNumber)
    .option('--matrix', 'what it says of every tool, instead')
    .action((name: string, flags: ShowFlags, command: Command) => show(name, flags, contextOf(command)));
}

async function list({ client, format }: CommandContext): Promise<void> {
  const { policies } = await client.call((api) => api.GET('/v1/policies'));
  const columns = [
    { title: 'POLICY', value: (policy: ListItem) => policy.name, width: 40 },
    { title: 'VERSION', value: (policy: ListItem) => String(policy.version) },
    { title: 'AGENTS', value: (policy: ListItem) => String(policy.agents_using.length) },
    { title: 'AUTONOMOUS', value: autonomous },
    { title: 'UPDATED', value: (policy: ListItem) => policy.updated_at.slice(0, 19).replace('T', ' ') },
    { title: 'BY', value: (policy: ListItem) => policy.published_by },
    { title: 'SUMMARY', value: (policy: ListItem) => policy.summary ?? '', width: 50 },
  ];
  printRows(format, policies, columns, 'No policies.');
}

/** What a question becomes in an autonomous run. */
function autonomous({ autonomy_summary: summary }: ListItem): string {
  return summary.permitted ? summary.default_fallback : 'not permitted';
}

async function show(name: string, { version, matrix }: ShowFlags, { client, format }: CommandContext): Promise<void> {
  if (version !== undefined) {
    const path = { name, version };
    const policy = await client.call((api) => api.GET('/v1/policies/{name}/versions/{version}', { params: { path } }));
    if (matrix !== true) return printPolicy(policy, format);
    const body = { content: policy.content, name };
    return printMatrix((await client.call((api) => api.POST('/v1/policies/preview', { body }))).matrix, format);
  }
  const policy = await client.call((api) => api.GET('/v1/policies/{name}', { params: { path: { name } } }));
  if (matrix === true) printMatrix(policy.matrix, format);
  else printPolicy(policy, format);
}

function printPolicy(policy: Schemas['PolicyView'], format: CommandContext['format']): void {
  if (format !== 'table') return printDocument(format, policy);
  write(block(policy.yaml).trimEnd());
  for (const defect of policy.defects)
    process.stderr.write(`not valid, no run is created from it: ${inline(defect)}\n`);
}

function printMatrix(rows: readonly MatrixRow[], format: CommandContext['format']): void {
  const columns = [
    { title: 'TOOL', value: (row: MatrixRow) => row.tool, width: 60 },
    { title: 'GROUP', value: (row: MatrixRow) => row.group ?? row.server ?? '' },
    { title: 'VERDICT', value: (row: MatrixRow) => row.verdict },
    { title: 'DECIDED BY', value: decidedBy },
  ];
  printRows(format, rows, columns, 'No tools.');
}

function decidedBy({ status }: MatrixRow): string {
  if (status.rule === undefined) return `default action ${status.action}`;
  return `tools[${status.rule}] ${status.action}${status.constraints === undefined ? '' : ' under conditions'}`;
}
