import type { Command } from 'commander';
import { CliError, EXIT } from '../exit-codes.js';
import { flagsOf, formatOf } from '../program-context.js';
import { resolveConnection } from '../server/connection.js';
import { SandgateClient } from '../server/sandgate-client.js';
import { inline } from '../terminal/escape.js';
import { reportChecks } from '../conformance/report.js';

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
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

async function checkServer(flags: ServerFlags, command: Command): Promise<void> {
  const { runServerKit } = await import('../conformance/server/run-kit.js');
  const shared = flagsOf(command);
  const env = flags.token === undefined ? process.env : { ...process.env, SANDGATE_TOKEN: flags.token };
  const connection = resolveConnection(flags.url === undefined ? shared : { ...shared, server: flags.url }, env);
  const internal = flags.internalUrl?.replace(/\/+$/, '');
  if (internal !== undefined && !URL.canParse(internal))
    throw new CliError(`--internal-url ${inline(internal)} is no address`, EXIT.usage);
  const results = await runServerKit({
    client: new SandgateClient(connection),
    internalUrl: internal ?? connection.url,
    apart: internal !== undefined,
    only: flags.only,
    notice: (line) => process.stderr.write(`${inline(line)}\n`),
  });
  reportChecks(flags.json === true ? 'json' : formatOf(command), results);
}
