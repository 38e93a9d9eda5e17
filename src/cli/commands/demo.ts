import type { Command } from 'commander';

export function registerDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'Show one governed run from start to end on this machine, in a folder of its own. Needs no account and no key.',
    )
    .option('--keep', 'leave everything running afterwards, until Ctrl+C')
    .option('-y, --yes', 'do not ask for the approval; the demo decides')
    .action(async (flags: { keep?: boolean; yes?: boolean }) => {
      const interrupt = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort());
      const { runDemo } = await import('../demo/run-demo.js');
      process.exit(await runDemo({ keep: flags.keep === true, yes: flags.yes === true, signal: interrupt.signal }));
    });
}
