import { CommanderError } from 'commander';
import { SandgateError } from '../domain/errors.js';
import { ConfigError } from '../embedded/configuration.js';
import { StartRefused } from '../embedded/start-refused.js';
import { CliError, EXIT, exitCodeOfStatus } from './terminal/exit-codes.js';
import type { ExitCode } from './terminal/exit-codes.js';
import { withVersionAsked } from './commands/version.js';
import { buildProgram } from './program.js';
import { block } from './terminal/escape.js';

/** Commander has printed its own message already. */
function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof ConfigError) return EXIT.usage;
  if (error instanceof SandgateError)
    return error.code === 'unavailable' ? EXIT.unavailable : exitCodeOfStatus(error.httpStatus);
  return error instanceof StartRefused ? EXIT.unavailable : EXIT.failure;
}

// A reader that closes early (`sandgate log … | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

try {
  await buildProgram().parseAsync(withVersionAsked(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) {
    process.stderr.write(`sandgate: ${block(error instanceof Error ? error.message : String(error))}\n`);
  }
  process.exitCode = exitCodeFor(error);
}
