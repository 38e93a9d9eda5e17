import { Argument, type Command } from 'commander';
import { SERVED_PARTS, type ServedPart } from '../../embedded/served-parts.js';
import { environmentFor } from './start.js';

export function registerServeCommand(program: Command): void {
  program
    .command('serve')
    .description(
      'Be one part of a deployment whose PostgreSQL and Temporal are configured, as containers and service managers run it.',
    )
    .addArgument(new Argument('<part>').choices(SERVED_PARTS))
    .action(async (part: ServedPart, _flags: unknown, command: Command) => {
      const { serve } = await import('../../embedded/serve.js');
      await serve(part, environmentFor(command));
    });
}
