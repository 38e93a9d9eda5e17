import { isJsonObject } from '../../domain/json.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';

/** A frozen tool as the model is shown it. */
export interface ToolManifest {
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** A sandbox server that this run may start (chapter 20 §12). */
export interface ServerManifest {
  name: string;
  command: string;
  args: string[];
  tools: ToolManifest[];
}

/**
 * Reads the manifest of `SERVICE_CAPABILITIES`; brokered entries are the broker's. Null when it has another shape, which is
 * the launcher's defect.
 */
export function parseManifest(text: string): ServerManifest[] | null {
  const document = parseJson(text);
  const servers = isJsonObject(document) ? document['servers'] : undefined;
  if (!Array.isArray(servers)) return null;
  const manifests: ServerManifest[] = [];
  for (const server of servers) {
    if (isJsonObject(server) && server['class'] === 'brokered') continue;
    const manifest = parseServer(server);
    if (manifest === null) return null;
    manifests.push(manifest);
  }
  return manifests;
}

function parseServer(server: JsonValue): ServerManifest | null {
  if (!isJsonObject(server)) return null;
  const { name, command, args, tools } = server;
  if (typeof name !== 'string' || typeof command !== 'string' || !isTextList(args) || !Array.isArray(tools))
    return null;
  const parsed = tools.map(parseTool).filter((tool) => tool !== null);
  return parsed.length === tools.length ? { name, command, args, tools: parsed } : null;
}

function parseTool(tool: JsonValue): ToolManifest | null {
  if (!isJsonObject(tool)) return null;
  const { name, description, input_schema: inputSchema } = tool;
  if (typeof name !== 'string' || typeof description !== 'string' || !isJsonObject(inputSchema)) return null;
  return { name, description, inputSchema };
}

function isTextList(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
