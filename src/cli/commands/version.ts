import type { Command } from 'commander';
import { ownVersion } from '../../platform/host/own-version.js';

/** What people try first. As an option of the program it would take the `--version` of the commands that have one. */
const ASKED_BY_OPTION = ['--version', '-V'];

export function registerVersionCommand(program: Command): void {
  program
    .command('version')
    .description('The version of this command.')
    .action(() => void process.stdout.write(`${ownVersion()}\n`));
}

/** @returns the words after the program's name, with `version` for an option that stands there alone */
export function withVersionAsked(words: readonly string[]): readonly string[] {
  const [first = ''] = words;
  return words.length === 1 && ASKED_BY_OPTION.includes(first) ? ['version'] : words;
}
