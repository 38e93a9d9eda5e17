import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BundleServer } from '../domain/capabilities/bundle.js';
import { SandgateError } from '../domain/errors.js';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { FrozenTool } from '../domain/run/spec.js';
import { commandInside, toolPackageText, type ToolPackage } from '../domain/tools/tool-package.js';
import { ensureHostId, loadConfig } from '../platform/config/index.js';
import type { Confine } from '../platform/host/confine.js';
import { chooseConfine } from '../platform/sandbox/choice/choose-confine.js';
import { isJavaScript } from '../platform/packages/tools/install-tool.js';
import { packageFolder, readInstalled } from '../platform/packages/tools/tool-folder.js';

/** Where the build puts the program that asks, seen from the built form of this file. */
const DESCRIBE = fileURLToPath(new URL('../../runner/', import.meta.url));
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 2048;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_REASON = 1000;

export interface DescribeRequest {
  tool: ToolPackage;
  /** One of the package's commands; needed only when it has several. */
  command?: string | undefined;
  args: string[];
  /** Name of the server in the bundle. */
  server: string;
}

/**
 * Starts an installed server in a confinement without network, asks what tools it has, and answers it as a bundle names it.
 * @throws SandgateError `not_found` for a package that is not installed, `invalid_request` for a server that does not answer, `unavailable`
 *   where nothing can be confined
 */
export async function describeTool(
  dataDir: string,
  request: DescribeRequest,
  folderOfDescribe: string = DESCRIBE,
): Promise<BundleServer> {
  const { tool, args, server } = request;
  const installed = await readInstalled(dataDir, tool);
  if (installed === null)
    throw new SandgateError(
      'not_found',
      `${toolPackageText(tool)} is not installed; run \`sandgate tools install\` first`,
    );
  const command = chooseCommand(Object.keys(installed.commands), request);
  const folder = packageFolder(dataDir, tool);
  const program = join(folder, installed.commands[command] ?? '');
  const confine = await confineFor(dataDir);
  const result = await confine({
    argv: [
      process.execPath,
      join(folderOfDescribe, 'describe.mjs'),
      ...((await isJavaScript(program)) ? [process.execPath, program] : [program]),
      ...args.map(standIn),
    ],
    env: {},
    readOnly: [process.execPath, folderOfDescribe.replace(/\/$/, ''), folder],
    readWrite: [],
    cwd: '/',
    timeoutMs: TIMEOUT_MS,
    memoryMb: MEMORY_MB,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (result.exitCode !== 0) throw new SandgateError('invalid_request', failureOf(result));
  return {
    class: 'sandbox',
    name: server,
    command: commandInside(tool, command),
    args,
    identity: {
      name: tool.name,
      version: tool.version,
      registry_type: 'npm',
      identifier: toolPackageText(tool),
      digest: installed.integrity,
    },
    tools: readTools(result.stdout.toString('utf8')),
  };
}

/** As the installation of the folder confines programs of its own; the Node is this one, because this command may run beside the server. */
async function confineFor(folder: string): Promise<Confine> {
  const config = loadConfig({ ...process.env, SERVICE_DATA_DIR: folder });
  const dataDir = await realpath(folder);
  const deployment = ensureHostId(config);
  return chooseConfine({ sandbox: config.sandbox, dataDir, deployment, node: process.execPath });
}

/** There is no workspace yet; servers that insist on their folders find an empty one. */
function standIn(argument: string): string {
  return argument.replace(/^\/workspace(?=\/|$)/, '/tmp');
}

function chooseCommand(commands: string[], { tool, command }: DescribeRequest): string {
  const [only] = commands;
  const chosen = command ?? (commands.length === 1 ? only : undefined);
  if (chosen !== undefined && commands.includes(chosen)) return chosen;
  throw new SandgateError(
    'invalid_request',
    `${toolPackageText(tool)} has the commands ${commands.join(', ')}; name one of them`,
  );
}

/** Only the members of a bundle; whether they are acceptable is decided when the bundle is published. */
function readTools(text: string): FrozenTool[] {
  const document: unknown = JSON.parse(text);
  const tools = isJsonObject(document) && Array.isArray(document['tools']) ? document['tools'] : [];
  return tools.filter(isJsonObject).map((tool: JsonObject): FrozenTool => ({
    name: typeof tool['name'] === 'string' ? tool['name'] : '',
    description: typeof tool['description'] === 'string' ? tool['description'] : '',
    input_schema: isJsonObject(tool['inputSchema']) ? tool['inputSchema'] : {},
    ...(isJsonObject(tool['outputSchema']) ? { output_schema: tool['outputSchema'] } : {}),
    ...(isJsonObject(tool['annotations']) ? { annotations: tool['annotations'] } : {}),
  }));
}

function failureOf(result: { stderr: Buffer; timedOut: boolean }): string {
  if (result.timedOut) return `the server did not name its tools within ${TIMEOUT_MS / 1000} s`;
  return result.stderr.toString('utf8').slice(-MAX_REASON).trim() || 'the server did not name its tools';
}
