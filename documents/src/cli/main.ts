import { CommanderError } from 'commander';
import { buildProgram } from './program.js';
import { inline } from './terminal/escape.js';
import { CliError, EXIT } from './terminal/exit-codes.js';

/** The `docsvc` command. */
try {
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  // Commander has told it already; asking for help is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CliError) {
    process.stderr.write(`docsvc: ${inline(error.message)}\n`);
    return error.exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`docsvc: a defect of this program\n${stack}\n`);
  return EXIT.error;
}

// A reader that has seen enough, such as head, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
