import type { Command } from 'commander';
import type { HostCheck } from '../../embedded/host-checks.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { formatOf } from './program-context.js';
import { printRows } from '../terminal/output.js';
import { environmentFor } from './start.js';

export function registerDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Try everything that a start on this machine depends on, and say what would have to change.')
    .action((_flags: unknown, command: Command) => doctor(command));
}

async function doctor(command: Command): Promise<void> {
  const { checkHost } = await import('../../embedded/host-checks.js');
  const checks = await checkHost(environmentFor(command));
  printRows(formatOf(command), checks, COLUMNS, '');
  const failed = checks.filter((check) => check.result === 'fail');
  if (failed.length > 0)
    throw new CliError(`${failed.map((check) => check.name).join(', ')} must be put right first`, EXIT.unavailable);
}

const COLUMNS = [
  { title: '', value: (check: HostCheck) => check.result },
  { title: 'PART', value: (check: HostCheck) => check.name },
  { title: 'FOUND', value: (check: HostCheck) => check.detail, width: 200 },
];
