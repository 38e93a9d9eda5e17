import { Option, type Command } from 'commander';
import { HARNESS_IDS, type HarnessId } from '../../domain/harness/harness-models.js';

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
    .action(async (flags: { harness: HarnessId; keep?: boolean; yes?: boolean }) => {
      const interrupt = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort());
      const { runDemo } = await import('../demo/run-demo.js');
      process.exit(
        await runDemo({
          harness: flags.harness,
          keep: flags.keep === true,
          yes: flags.yes === true,
          signal: interrupt.signal,
        }),
      );
    });
}
