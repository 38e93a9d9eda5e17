import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Argument, type Command } from 'commander';
import { stringify } from 'yaml';
import { PRESET_NAMES } from '../../domain/network/presets.js';
import { locate } from '../../embedded/state-folder.js';
import { dataDirOf } from '../server/connection.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { inline } from '../terminal/escape.js';
import { write } from '../terminal/output.js';
import { flagsOf } from './program-context.js';

const HEADER = `# What the presets of agents' networks stand for, learned from the package managers of this machine.
# Edit it as you like; restart the API afterwards.
`;

interface LearnFlags {
  readonly to?: string;
  readonly force?: boolean;
}

export function registerNetworkCommands(program: Command): void {
  const network = program.command('network').description('What runs may reach by name.');
  network
    .command('learn-presets')
    .description(
      'Let each package manager of this machine fetch one small package, and write where it went as the presets of agents.',
    )
    .addArgument(new Argument('[presets...]', 'only these').choices(PRESET_NAMES))
    .option('--to <file>', 'write here instead of the state folder of the local installation')
    .option('--force', 'replace the file')
    .action((presets: string[], flags: LearnFlags, command: Command) => learn(presets, flags, command));
}

async function learn(only: string[], flags: LearnFlags, command: Command): Promise<void> {
  const { learnPresets } = await import('../../embedded/presets/learn-presets.js');
  const file = flags.to ?? locate(dataDirOf(flagsOf(command), process.env)).networkPresets;
  if (existsSync(file) && flags.force !== true)
    throw new CliError(`${inline(file)} is there already; --force replaces it`, EXIT.conflict);
  const learned = await learnPresets(process.env, only);
  const presets: Record<string, object> = {};
  for (const one of learned) {
    if ('problem' in one) {
      write(`${one.preset}: left out, ${inline(one.problem)}`);
      continue;
    }
    const { preset, targets, variables } = one;
    presets[preset] = Object.keys(variables).length === 0 ? { targets } : { targets, variables };
    write(`${preset}: ${targets.map(inline).join(', ')}`);
  }
  if (Object.keys(presets).length === 0) throw new CliError('no package manager told anything', EXIT.failure);
  // Before the first start there is no state folder yet.
  if (flags.to === undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, HEADER + stringify({ presets }), { mode: 0o644 });
  write(`Wrote ${inline(file)}; it is read when the API starts (SERVICE_NETWORK_PRESETS).`);
}
