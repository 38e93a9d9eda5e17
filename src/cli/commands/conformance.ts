import type { Command } from 'commander';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { flagsOf, formatOf, fromCaller } from './program-context.js';
import { resolveConnection } from '../server/connection.js';
import { SandgateClient } from '../server/sandgate-client.js';
import { inline } from '../terminal/escape.js';
import { reportChecks } from '../conformance/report.js';

/** Scenarios mostly wait for retries, heartbeats and people, so many can go on at once. */
const SCENARIOS_AT_ONCE = 6;

interface RunnerFlags {
  readonly agent: string;
  readonly harness?: string;
  readonly model?: string;
  readonly tcp?: boolean;
  readonly quiet?: boolean;
  readonly only: string[];
  readonly json?: boolean;
}

interface ServerFlags {
  readonly url?: string;
  readonly token?: string;
  readonly internalUrl?: string;
  readonly only: string[];
  readonly json?: boolean;
}

export function registerConformanceCommands(program: Command): void {
  const conformance = program
    .command('conformance')
    .description('Try a server, or a runner, on the rules of the runner contract (docs/runner-contract.md).');
  conformance
    .command('server')
    .description('Start runs on a server and check from inside their sandboxes that it keeps the contract.')
    .option('--url <url>', 'address of the server; as for every command without')
    .option(
      '--token <token>',
      'an admin or operator token; better in SANDGATE_TOKEN or --token-file, which no other user reads',
    )
    .option('--internal-url <url>', 'address of the runner plane, when another listener serves it')
    .option('--only <ids>', 'checks, or beginnings of their ids, separated by commas', list, [])
    .option('--json', 'the same as -o json')
    .action((flags: ServerFlags, command: Command) => checkServer(flags, command));
  conformance
    .command('runner')
    .description('Play a control plane of ups and downs for a runner, and say which of its obligations it kept.')
    .argument('[command...]', 'starts the runner, after --; without it the hand-off is put into a file for you')
    .option(
      '--agent <kind>',
      'script: the task is a list of shell commands; model: they come from a scripted model',
      'script',
    )
    .option('--harness <id>', 'value of SERVICE_HARNESS; replay or builtin without')
    .option('--model <id>', 'value of SERVICE_MODEL')
    .option('--tcp', 'an address of 127.0.0.1 instead of a socket')
    .option('--quiet', 'leave out what the runner prints')
    .option('--only <ids>', 'obligations, or beginnings of their ids, separated by commas', list, [])
    .option('--json', 'the same as -o json')
    .action((argv: string[], flags: RunnerFlags, command: Command) => checkRunner(argv, flags, command));
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

async function checkServer(flags: ServerFlags, command: Command): Promise<void> {
  const { runServerKit } = await import('../conformance/server/scenes/run-kit.js');
  const shared = flagsOf(command);
  // Both options are about one server, so a token of theirs is not held to the address in the environment.
  const given = flags.url ?? shared.server;
  const named = { SANDGATE_TOKEN: flags.token, ...(given === undefined ? {} : { SANDGATE_URL: given }) };
  const env = flags.token === undefined ? process.env : { ...process.env, ...named };
  const connection = resolveConnection(flags.url === undefined ? shared : { ...shared, server: flags.url }, env);
  const internal = flags.internalUrl?.replace(/\/+$/, '');
  if (internal !== undefined && !URL.canParse(internal))
    throw new CliError(`--internal-url ${inline(internal)} is not an address`, EXIT.usage);
  const results = await runServerKit({
    client: new SandgateClient(connection),
    internalUrl: internal ?? connection.url,
    apart: internal !== undefined,
    only: flags.only,
    notice: (line) => process.stderr.write(`${inline(line)}\n`),
  });
  reportChecks(flags.json === true ? 'json' : formatOf(command), results);
}

async function checkRunner(argv: string[], flags: RunnerFlags, command: Command): Promise<void> {
  if (flags.agent !== 'script' && flags.agent !== 'model')
    throw new CliError(`--agent takes script or model, not ${inline(flags.agent)}`, EXIT.usage);
  const [{ runScenarios }, { Clock }, { commandStarter, handStarter }] = await Promise.all([
    import('../conformance/runner/scenarios/run-scenarios.js'),
    import('../conformance/runner/record.js'),
    import('../conformance/runner/starter.js'),
  ]);
  const byHand = argv.length === 0;
  const notice = (line: string): void => void process.stderr.write(`${inline(line)}\n`);
  const results = await runScenarios({
    starter: byHand
      ? handStarter((file) => notice(`start the runner now, with ${file} as its descriptor 3 (3< ${file})`))
      : commandStarter(argv, fromCaller('.'), flags.quiet === true ? 'ignore' : 'inherit'),
    agent: flags.agent,
    harness: flags.harness ?? (flags.agent === 'model' ? 'builtin' : 'replay'),
    model: flags.model ?? (flags.agent === 'model' ? 'claude-haiku-4-5' : 'none'),
    clock: new Clock(),
    only: flags.only,
    atOnce: byHand ? 1 : SCENARIOS_AT_ONCE,
    tcp: flags.tcp === true,
    notice,
  });
  reportChecks(flags.json === true ? 'json' : formatOf(command), results);
}
