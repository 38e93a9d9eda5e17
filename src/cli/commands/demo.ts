import { Option, type Command } from 'commander';
import { HARNESS_IDS, type HarnessId } from '../../domain/harness/harness-models.js';
import type { DemoServer } from '../demo/run-demo.js';
import { inline } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf, fromCaller } from './program-context.js';

interface DemoFlags {
  readonly harness: HarnessId;
  readonly keep?: boolean;
  readonly yes?: boolean;
  readonly onServer?: boolean;
  readonly modelBind: string;
  readonly folder: string;
}

export function registerDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'Show one governed run from start to end on this machine, in a folder of its own. Needs no account and no key.',
    )
    .addOption(
      new Option('--harness <id>', 'the agent program; installed for the demo where it is one of its own')
        .choices([...HARNESS_IDS])
        .default('builtin'),
    )
    .option('--keep', 'leave everything running afterwards, until Ctrl+C')
    .option('-y, --yes', 'do not ask for the approval; the demo decides')
    .option('--on-server', 'on the server that --server names, which is set up for it: see docs/deploy.md')
    .option('--model-bind <host:port>', 'with --on-server, where the scripted model listens', '127.0.0.1:9800')
    .option('--folder <path>', 'with --on-server, a folder that the server may copy from', '.')
    .action(async (flags: DemoFlags, command: Command) => {
      const interrupt = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort());
      const { runDemo } = await import('../demo/run-demo.js');
      process.exit(
        await runDemo({
          harness: flags.harness,
          keep: flags.keep === true,
          yes: flags.yes === true,
          signal: interrupt.signal,
          ...(flags.onServer === true ? { server: serverOf(flags, command) } : {}),
        }),
      );
    });
}

function serverOf({ modelBind, folder }: DemoFlags, command: Command): DemoServer {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(modelBind) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw new CliError(`--model-bind must be host:port, not ${inline(modelBind)}`, EXIT.usage);
  return { client: contextOf(command).client, modelBind: { host, port: Number(port) }, folder: fromCaller(folder) };
}
