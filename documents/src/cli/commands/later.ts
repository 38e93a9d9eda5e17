import type { Command } from 'commander';
import { CliError } from '../terminal/exit-codes.js';

const LATER = ['mcp'];

/** Verbs of later releases, which say so. */
export function addLater(program: Command): void {
  for (const name of LATER)
    program
      .command(`${name} [words...]`)
      .description('comes with a later release')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new CliError(`docsvc ${name} comes with a later release`);
      });
}
