import { isJsonObject } from '../../domain/json.js';
import { parseMcpName } from '../../domain/tools/mcp-name.js';
import type { CanonicalTool } from '../tools/canonical-tool.js';
import { InvalidToolInputError } from '../tools/input-shape.js';
import { SandboxServer } from './sandbox-server.js';
import type { ServerSurroundings } from './sandbox-server.js';
import type { SandboxTools } from './sandbox-tools.js';
import type { ServerManifest, ToolManifest } from '../launch/server-manifest.js';

/**
 * Starts every server of the manifest and offers its frozen tools, and those alone: what else a server would offer stays
 * hidden, and the model reads the frozen descriptions and schemas, not the server's (docs/design/tools.md).
 * @throws ServerStartError when one of them does not start
 */
export async function openSandboxTools(
  manifests: readonly ServerManifest[],
  surroundings: ServerSurroundings,
): Promise<SandboxTools> {
  const servers = manifests.map((manifest) => ({ manifest, server: new SandboxServer(manifest, surroundings) }));
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(({ server }) => server.close()));
  };
  try {
    const missing = await Promise.all(
      servers.map(async ({ server }) => {
        await server.start();
        return (await server.missingTools()).map((tool) => nameOf(server.name, tool));
      }),
    );
    return {
      tools: servers.flatMap(({ manifest, server }) => manifest.tools.map((tool) => sandboxTool(server, tool))),
      missing: missing.flat(),
      owns: (name) => manifests.some((manifest) => manifest.name === parseMcpName(name)?.server),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function sandboxTool(server: SandboxServer, { name, description, inputSchema }: ToolManifest): CanonicalTool {
  return {
    name: nameOf(server.name, name),
    description,
    // Providers ask for the type; arguments of a tool are an object in any case.
    inputSchema: { ...inputSchema, type: 'object' },
    prepare: (input) => {
      if (!isJsonObject(input)) throw new InvalidToolInputError('the input must be a JSON object');
      return { run: ({ timeoutMs }) => server.call(name, input, timeoutMs) };
    },
  };
}

function nameOf(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}
