import type { Command } from 'commander';
import {
  installCommand,
  needsProgram,
  OWN_HARNESSES,
  PROGRAM_HARNESSES,
  type ProgramHarness,
} from '../../domain/harness/harness-program.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { formatOf, flagsOf } from './program-context.js';
import { dataDirOf } from '../server/connection.js';
import { printDocument, printRows, write } from '../terminal/output.js';

/** The part that installs is loaded by these commands alone: it reaches into the platform. */
const load = () => import('../../embedded/harness-programs.js');

interface HarnessRow {
  harness: string;
  status: 'built in' | 'installed' | 'not installed' | 'unused version';
  package: string | null;
  version: string | null;
  bytes: number | null;
  installed_at: string | null;
}

export function registerHarnessCommands(program: Command): void {
  const harness = program
    .command('harness')
    .description('Programs of harnesses on this machine, mounted read-only into the sandboxes of their runs.');
  harness
    .command('list', { isDefault: true })
    .description('List the harnesses, whether their program is installed, and its size on disk.')
    .action((_flags: unknown, command: Command) => list(command));
  harness
    .command('install')
    .description(
      'Fetch the program of a harness at its pinned version by npm, run none of its scripts, check its digests.',
    )
    .argument('<id>', PROGRAM_HARNESSES.join(' or '))
    .action((id: string, _flags: unknown, command: Command) => install(id, command));
  harness
    .command('remove')
    .description('Delete every installed version of a harness’s program; runs that use it break.')
    .argument('<id>', PROGRAM_HARNESSES.join(' or '))
    .action((id: string, _flags: unknown, command: Command) => remove(id, command));
}

async function list(command: Command): Promise<void> {
  const rows = await harnessRows(dataDir(command));
  const columns = [
    { title: 'HARNESS', value: (row: HarnessRow) => row.harness },
    { title: 'PROGRAM', value: (row: HarnessRow) => row.package ?? '—', width: 40 },
    { title: 'VERSION', value: (row: HarnessRow) => row.version ?? '—' },
    { title: 'STATUS', value: (row: HarnessRow) => row.status },
    { title: 'DISK', value: (row: HarnessRow) => (row.bytes === null ? '—' : megabytes(row.bytes)) },
    { title: 'INSTALLED', value: (row: HarnessRow) => row.installed_at?.slice(0, 19).replace('T', ' ') ?? '—' },
  ];
  printRows(formatOf(command), rows, columns, 'There are no harnesses.');
  const [missing] = rows.filter((row) => row.status === 'not installed');
  if (missing !== undefined && needsProgram(missing.harness) && formatOf(command) === 'table')
    write(`Install one with \`${installCommand(missing.harness)}\`.`);
}

async function harnessRows(dataDir: string): Promise<HarnessRow[]> {
  const { listInstalledPrograms, pinnedProgram } = await load();
  const installed = await listInstalledPrograms(dataDir);
  const rows: HarnessRow[] = OWN_HARNESSES.map((harness) => ({ ...NOTHING, harness, status: 'built in' as const }));
  for (const harness of PROGRAM_HARNESSES) {
    const pinned = await pinnedProgram(harness);
    const isUsable = (one: { version: string; lock_digest: string }): boolean =>
      one.version === pinned.version && one.lock_digest === pinned.lockDigest;
    const own = installed.filter((one) => one.harness === harness);
    if (!own.some(isUsable))
      rows.push({ ...NOTHING, harness, status: 'not installed', package: pinned.package, version: pinned.version });
    for (const one of own) {
      const { package: name, version, bytes, installed_at } = one;
      const status = isUsable(one) ? 'installed' : 'unused version';
      rows.push({ harness, status, package: name, version, bytes, installed_at });
    }
  }
  return rows;
}

const NOTHING = { package: null, version: null, bytes: null, installed_at: null };

async function install(id: string, command: Command): Promise<void> {
  const format = formatOf(command);
  if (OWN_HARNESSES.some((own) => own === id)) {
    if (format === 'table') return write(`${id} is part of Sandgate: there is nothing to install.`);
    return printDocument(format, { harness: id, status: 'built in' });
  }
  const harness = requireHarness(id);
  const { installHarness, pinnedProgram } = await load();
  const { package: name, version } = await pinnedProgram(harness);
  if (format === 'table') write(`${name} ${version}: fetching …`);
  const installed = await installHarness(dataDir(command), harness);
  if (format !== 'table') return printDocument(format, installed);
  write(`${name} ${version} is installed: ${installed.packages} packages, ${megabytes(installed.bytes)} on disk.`);
}

async function remove(id: string, command: Command): Promise<void> {
  const harness = requireHarness(id);
  const { removeProgram } = await load();
  const removed = await removeProgram(dataDir(command), harness);
  if (removed.length === 0) throw new CliError(`the program of ${harness} is not installed`, EXIT.notFound);
  const format = formatOf(command);
  if (format !== 'table') return printDocument(format, { removed });
  for (const program of removed) write(`${program.package} ${program.version} is removed.`);
}

function requireHarness(id: string): ProgramHarness {
  if (needsProgram(id)) return id;
  throw new CliError(
    `${id}: no harness with a program to install; there are ${PROGRAM_HARNESSES.join(', ')}`,
    EXIT.usage,
  );
}

/** Megabytes of a million bytes, as disks are sold. */
function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}

function dataDir(command: Command): string {
  return dataDirOf(flagsOf(command), process.env);
}
