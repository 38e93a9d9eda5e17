import type { Command } from 'commander';
import type { Schemas } from '../../client/client.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { contextOf } from './program-context.js';
import type { CommandContext } from './program-context.js';
import { dataDirOf } from '../server/connection.js';
import type { CapabilityListEntry } from '../server/wire.js';
import { inline } from '../terminal/escape.js';
import { firstLine, printDocument, printRecord, printRows, write } from '../terminal/output.js';
import { readDocument } from './document.js';
import { bundleOfTool } from './tools.js';

interface CreateFlags {
  readonly fromTool?: string;
  readonly name?: string;
  readonly command?: string;
  readonly as?: string;
  readonly only?: string;
}

export function registerCapabilityCommands(program: Command): void {
  const capabilities = program
    .command('capabilities')
    .description('Bundles of sandbox MCP servers, which agents pin and runs freeze.');
  capabilities
    .command('list', { isDefault: true })
    .description('List bundles with all their versions.')
    .action((_flags: unknown, command: Command) => list(contextOf(command)));
  capabilities
    .command('show')
    .description('Show a bundle: its servers and their tools.')
    .argument('<bundle>', 'name (the newest version), name@N, or id')
    .action((key: string, _flags: unknown, command: Command) => show(key, contextOf(command)));
  capabilities
    .command('create')
    .description('Publish a bundle; a known name gets its next version.')
    .argument('[file]', 'YAML or JSON document with name and servers, - for standard input')
    .argument('[args...]', 'with --from-tool: arguments of the server, after --')
    .option('--from-tool <package>', 'an installed npm:<name>@<version> instead of a document: its own list of tools')
    .option('--name <name>', 'name of the bundle; that of the document or the server otherwise')
    .option('--command <name>', 'with --from-tool: which of its commands')
    .option('--as <name>', 'with --from-tool: name of the server in the bundle')
    .option('--only <tools>', 'keep these tools of the servers, separated by commas')
    .action((file: string | undefined, args: string[], flags: CreateFlags, command: Command) =>
      create(file, args, flags, contextOf(command)),
    );
}

async function list({ client, format }: CommandContext): Promise<void> {
  const { bundles } = await client.call((api) => api.GET('/v1/capabilities'));
  const columns = [
    { title: 'BUNDLE', value: (bundle: CapabilityListEntry) => bundle.name, width: 64 },
    { title: 'VERSION', value: (bundle: CapabilityListEntry) => String(bundle.version) },
    { title: 'SERVERS', value: (bundle: CapabilityListEntry) => String(bundle.server_count) },
    { title: 'TOOLS', value: (bundle: CapabilityListEntry) => String(bundle.tool_count) },
    { title: 'CREATED', value: (bundle: CapabilityListEntry) => bundle.created_at.slice(0, 19).replace('T', ' ') },
    { title: 'DESCRIPTION', value: (bundle: CapabilityListEntry) => bundle.description ?? '', width: 60 },
  ];
  printRows(format, bundles, columns, 'No capability bundles.');
}

async function show(key: string, { client, format }: CommandContext): Promise<void> {
  const answer = await client.call((api) => api.GET('/v1/capabilities/{name}', { params: { path: { name: key } } }));
  const { servers, ...bundle } = answer;
  const lines = servers.map((server) => {
    const definition = bundle.definition.servers.find(({ name }) => name === server.name);
    const command = [definition?.command ?? '', ...(definition?.args ?? [])].join(' ');
    const tools = server.tools.map((tool) => `  mcp__${server.name}__${tool.name}  ${firstLine(tool.description)}`);
    return [`${server.name}: ${command}`, ...tools].join('\n');
  });
  printRecord(format, answer, [
    ['Bundle', `${bundle.name}@${bundle.version}`],
    ['Id', bundle.id],
    ['Description', bundle.description ?? ''],
    ['Digest', bundle.definition_digest],
    ['Created', bundle.created_at],
    ['Servers', lines.join('\n')],
  ]);
}

async function create(
  file: string | undefined,
  args: string[],
  flags: CreateFlags,
  { client, format, flags: connection }: CommandContext,
): Promise<void> {
  const body = keepOnly(await bodyOf(file, args, flags, dataDirOf(connection, process.env)), flags.only);
  const answer = await client.call((api) => api.POST('/v1/capabilities', { body }));
  if (format !== 'table') return printDocument(format, answer);
  const tools = answer.servers.reduce((count, server) => count + server.tool_count, 0);
  write(`${inline(answer.name)}@${answer.version} with ${tools} tools ${answer.definition_digest}`);
}

type Body = Schemas['CreateCapability'];

async function bodyOf(
  file: string | undefined,
  args: string[],
  { fromTool, name, ...described }: CreateFlags,
  dataDir: string,
): Promise<Body> {
  const named = name === undefined ? {} : { name };
  if (fromTool !== undefined) {
    // Without a document the first argument after -- is the server's too.
    const ofServer = file === undefined ? args : [file, ...args];
    return { ...((await bundleOfTool(dataDir, fromTool, ofServer, described)) as Body), ...named };
  }
  if (file === undefined) throw new CliError('name a document, or an installed package with --from-tool', EXIT.usage);
  return { ...(readDocument(file) as Body), ...named };
}

/** Fewer tools than the servers have: the model is shown, and may call, only these. */
function keepOnly(body: Body, only: string | undefined): Body {
  if (only === undefined) return body;
  const names = new Set(only.split(',').map((name) => name.trim()));
  const servers = body.servers.map((server) => ({
    ...server,
    tools: server.tools.filter(({ name }) => names.has(name)),
  }));
  const kept = new Set(servers.flatMap(({ tools }) => tools.map(({ name }) => name)));
  const missing = [...names].filter((name) => !kept.has(name));
  if (missing.length > 0) throw new CliError(`no server has the tool ${missing.map(inline).join(', ')}`, EXIT.usage);
  return { ...body, servers: servers.filter(({ tools }) => tools.length > 0) };
}
