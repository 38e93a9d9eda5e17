import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import {
  configWarnings,
  describeConfig,
  loadConfig,
  renderConfigurationDocument,
} from '../../embedded/configuration.js';
import { contextOf, fromCaller } from './program-context.js';
import { printRows } from '../terminal/output.js';

export function registerConfigCommand(program: Command): void {
  program
    .command('config')
    .description('Print the configuration that a server started from this environment would have; secrets as digests.')
    .option('--document <file>', 'write the reference of all settings instead')
    .action((flags: { document?: string }, command: Command) => {
      if (flags.document !== undefined) {
        writeFileSync(fromCaller(flags.document), renderConfigurationDocument());
        return;
      }
      const config = loadConfig(process.env);
      for (const warning of configWarnings(config, process.env)) process.stderr.write(`warning: ${warning}\n`);
      printRows(contextOf(command).format, describeConfig(config, process.env), COLUMNS, '');
    });
}

type Setting = ReturnType<typeof describeConfig>[number];

const COLUMNS = [
  { title: 'VARIABLE', value: (setting: Setting) => setting.variable },
  { title: 'VALUE', value: (setting: Setting) => setting.value },
  { title: 'FROM', value: (setting: Setting) => setting.source },
];
