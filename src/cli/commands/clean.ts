import { existsSync, rmSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { cacheDir } from '../../embedded/temporal-binary.js';
import { flagsOf } from './program-context.js';
import { dataDirOf } from '../server/connection.js';
import { confirm } from '../terminal/confirm.js';
import { inline } from '../terminal/escape.js';
import { write } from '../terminal/output.js';

interface CleanFlags {
  readonly yes?: boolean;
  readonly cache?: boolean;
  readonly setupCache?: boolean;
}

const MIB = 1024 * 1024;

export function registerCleanCommand(program: Command): void {
  program
    .command('clean')
    .description('Delete the state folder of the local installation with all its runs, keys and history.')
    .option('-y, --yes', 'do not ask')
    .option('--cache', 'delete the programs that were downloaded, too')
    .addOption(
      new Option(
        '--setup-cache',
        'delete nothing but what setup commands made for later runs; the server may go on meanwhile',
      ).conflicts('cache'),
    )
    .action((flags: CleanFlags, command: Command) => clean(dataDirOf(flagsOf(command), process.env), flags));
}

async function clean(dir: string, flags: CleanFlags): Promise<void> {
  if (flags.setupCache === true) return cleanSetups(dir);
  if (existsSync(dir)) await cleanState(dir, flags);
  else write(`There is no state folder ${inline(dir)}.`);
  if (flags.cache !== true) return;
  rmSync(cacheDir(), { recursive: true, force: true });
  write(`Deleted ${inline(cacheDir())}.`);
}

async function cleanState(dir: string, flags: CleanFlags): Promise<void> {
  if (flags.yes !== true) await confirm(`${inline(dir)} with all runs, keys and history`, 'delete');
  const { removeState } = await import('../../embedded/remove-state.js');
  const runs = await removeState(dir);
  write(`Deleted ${inline(dir)}${runs.length === 0 ? '' : ` and what was left of ${runs.length} runs`}.`);
}

/** Nothing is lost that the next run does not make anew, so nobody is asked. */
async function cleanSetups(dir: string): Promise<void> {
  const { clearSetups } = await import('../../embedded/remove-state.js');
  const { removed, bytes, inUse } = await clearSetups(dir);
  const stay = inUse === 0 ? '' : `; ${inUse} stayed, because runs are based on them`;
  const results = removed === 1 ? '1 result' : `${removed} results`;
  write(`Deleted ${results} of setup commands, ${Math.round(bytes / MIB)} MiB${stay}.`);
}
