import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Schemas } from '../../client/client.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { findRun } from '../server/runs.js';
import { renderSimulation } from '../views/simulation-report.js';
import { printDocument, write } from '../terminal/output.js';
import { coloursFor } from '../terminal/style.js';
import { readNamedText } from './document.js';

interface SimulateFlags {
  readonly file: string;
  readonly agent?: string;
  readonly run?: string[];
  readonly tool?: string[];
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly allPolicies?: boolean;
  readonly failOn?: 'loosened' | 'changed';
}

const AGO = /^([0-9]{1,6})(m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export function registerPolicySimulation(policies: Command): void {
  policies
    .command('simulate')
    .description('Try a draft against the recorded calls of past runs: what would change. Nothing is stored.')
    .argument('<policy>', 'name: runs that used it are taken')
    .requiredOption('-f, --file <draft>', 'the draft, YAML or JSON, - for standard input')
    .option('--agent <agent>', 'only runs of this agent: name or id')
    .option('--run <run>', 'only this run; may be repeated', collect)
    .option('--tool <matcher>', 'only calls of this tool, a trailing * means "starts with"; may be repeated', collect)
    .option('--since <time>', 'only calls asked since: a time, or 30m, 12h, 7d ago', readTime)
    .option('--until <time>', 'only calls asked before', readTime)
    .option('--limit <calls>', 'most calls to examine, newest runs first (10000; at most 50000)', readCount)
    .option('--all-policies', 'runs of every policy of the organization')
    .addOption(
      new Option('--fail-on <change>', 'exit with 13 when a call would change so').choices(['loosened', 'changed']),
    )
    .action((name: string, flags: SimulateFlags, command: Command) => simulate(name, flags, contextOf(command)));
}

async function simulate(name: string, flags: SimulateFlags, context: CommandContext): Promise<void> {
  const body = await requestOf(flags, context);
  const report = await context.client.call((api) =>
    api.POST('/v1/policies/{name}/simulate', { params: { path: { name } }, body }),
  );
  if (context.format === 'table') write(renderSimulation(report, coloursFor(process.stdout)));
  else printDocument(context.format, report);
  const { loosened, changed } = report.totals;
  if (flags.failOn === 'loosened' && loosened > 0) throw changes(`${loosened} calls would be judged less strictly`);
  if (flags.failOn === 'changed' && changed > 0) throw changes(`${changed} calls would be judged otherwise`);
}

async function requestOf(flags: SimulateFlags, { client }: CommandContext): Promise<Schemas['SimulatePolicy']> {
  const runIds: string[] = [];
  for (const run of flags.run ?? []) runIds.push((await findRun(client, run)).id);
  return {
    yaml: readNamedText(flags.file),
    all_policies: flags.allPolicies === true,
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    ...(runIds.length === 0 ? {} : { session_ids: runIds }),
    ...(flags.tool === undefined ? {} : { tools: flags.tool }),
    ...(flags.since === undefined ? {} : { since: flags.since }),
    ...(flags.until === undefined ? {} : { until: flags.until }),
    ...(flags.limit === undefined ? {} : { limit: flags.limit }),
  };
}

function changes(sentence: string): CliError {
  return new CliError(sentence, EXIT.verdictsChanged);
}

function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

function readTime(value: string): string {
  const [, amount, unit] = AGO.exec(value) ?? [];
  const time = unit === undefined ? new Date(value) : new Date(Date.now() - Number(amount) * (UNIT_MS[unit] ?? 0));
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('Give a time, or how long ago: 30m, 12h, 7d.');
  return time.toISOString();
}

function readCount(value: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(value)) throw new InvalidArgumentError('Give a whole number of at least 1.');
  return Number(value);
}
