import type { Command } from 'commander';
import { parseToolPackage, toolPackageText } from '../../domain/tools/tool-package.js';
import { formatOf, flagsOf } from './program-context.js';
import { dataDirOf } from '../server/connection.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { inline } from '../terminal/escape.js';
import { printDocument, printRows, write } from '../terminal/output.js';

/** The part that installs is loaded by these commands alone: it reaches into the platform. */
const load = () => import('../../embedded/tool-packages.js');
type InstalledTool = import('../../embedded/tool-packages.js').InstalledTool;

const PACKAGE = 'npm:<name>@<version>, the version exact';

export interface DescribeFlags {
  readonly command?: string;
  readonly as?: string;
}

export function registerToolCommands(program: Command): void {
  const tools = program
    .command('tools')
    .description('Packages of MCP servers on this machine, mounted read-only into every sandbox.');
  tools
    .command('list', { isDefault: true })
    .description('List installed packages and their commands.')
    .action((_flags: unknown, command: Command) => list(command));
  tools
    .command('install')
    .description('Fetch a package with its dependencies by npm, run none of its scripts, and record what it is.')
    .argument('<package>', PACKAGE)
    .action((text: string, _flags: unknown, command: Command) => install(text, command));
  tools
    .command('remove')
    .description('Delete a package; runs that use it break.')
    .argument('<package>', PACKAGE)
    .action((text: string, _flags: unknown, command: Command) => remove(text, command));
  tools
    .command('describe')
    .description('Start an installed server in a confinement without network and print a bundle of its tools.')
    .argument('<package>', PACKAGE)
    .argument('[args...]', 'arguments of the server, after --')
    .option('--command <name>', 'which of its commands; needed when it has several')
    .option('--as <name>', 'name of the server in the bundle; the package’s otherwise')
    .action((text: string, args: string[], flags: DescribeFlags, command: Command) =>
      describe(text, args, flags, command),
    );
}

async function list(command: Command): Promise<void> {
  const { listInstalled } = await load();
  const installed = await listInstalled(dataDir(command));
  const columns = [
    { title: 'PACKAGE', value: (tool: InstalledTool) => toolPackageText(tool), width: 80 },
    { title: 'COMMANDS', value: (tool: InstalledTool) => Object.keys(tool.commands).join(', '), width: 60 },
    { title: 'INSTALLED', value: (tool: InstalledTool) => tool.installed_at.slice(0, 19).replace('T', ' ') },
  ];
  printRows(formatOf(command), installed, columns, 'No tools are installed.');
}

async function install(text: string, command: Command): Promise<void> {
  const tool = parseToolPackage(text);
  const { installTool } = await load();
  const installed = await installTool(dataDir(command), tool);
  const format = formatOf(command);
  if (format !== 'table') return printDocument(format, installed);
  write(`${toolPackageText(tool)} is installed with ${installed.packages} packages (${inline(installed.integrity)}).`);
  for (const name of Object.keys(installed.commands))
    write(`  /opt/sandgate/tools/${tool.name}/${tool.version}/bin/${inline(name)}`);
}

async function remove(text: string, command: Command): Promise<void> {
  const tool = parseToolPackage(text);
  const { removeTool } = await load();
  if (!(await removeTool(dataDir(command), tool)))
    throw new CliError(`${toolPackageText(tool)} is not installed`, EXIT.notFound);
  const format = formatOf(command);
  if (format === 'table') write(`${toolPackageText(tool)} is removed.`);
  else printDocument(format, { removed: toolPackageText(tool) });
}

async function describe(text: string, args: string[], flags: DescribeFlags, command: Command): Promise<void> {
  const bundle = await bundleOfTool(dataDir(command), text, args, flags);
  const format = formatOf(command);
  printDocument(format === 'table' ? 'yaml' : format, bundle);
}

/** The body of `POST /v1/capabilities` for one installed server. */
export async function bundleOfTool(
  dataDir: string,
  text: string,
  args: string[],
  { command, as }: DescribeFlags,
): Promise<{ name: string; servers: object[] }> {
  const tool = parseToolPackage(text);
  const { describeTool } = await load();
  const name = as ?? serverName(tool.name);
  return { name, servers: [await describeTool(dataDir, { tool, command, args, server: name })] };
}

/** The name of a server: `@scope/mcp_server.x` becomes `mcp-server-x`. */
function serverName(packageName: string): string {
  const bare = packageName.slice(packageName.lastIndexOf('/') + 1);
  return bare
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}

function dataDir(command: Command): string {
  return dataDirOf(flagsOf(command), process.env);
}
