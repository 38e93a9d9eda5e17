import { isJsonObject } from '../../domain/json.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';

/** A frozen tool as the model is shown it. */
export interface ToolManifest {
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** A sandbox server that this run may start (docs/design/runner.md). */
export interface ServerManifest {
  name: string;
  command: string;
  args: string[];
  tools: ToolManifest[];
}

/** A connected server, whose tools the control plane calls; the sandbox knows no address of it. */
export interface BrokeredManifest {
  /** Slot of the requirement. */
  name: string;
  tools: ToolManifest[];
}

/** What the run may call, as its launcher says. */
export interface CapabilityManifest {
  sandbox: ServerManifest[];
  brokered: BrokeredManifest[];
}

/** Reads the manifest of `SERVICE_CAPABILITIES`. Null when it has another shape, which is the launcher's defect. */
export function parseManifest(text: string): CapabilityManifest | null {
  const document = parseJson(text);
  const servers = isJsonObject(document) ? document['servers'] : undefined;
  if (!Array.isArray(servers)) return null;
  const manifest: CapabilityManifest = { sandbox: [], brokered: [] };
  for (const server of servers) {
    const offered = parseOffer(server);
    if (offered === null || !isJsonObject(server)) return null;
    if (server['class'] === 'brokered') manifest.brokered.push(offered);
    else if (typeof server['command'] === 'string' && isTextList(server['args']))
      manifest.sandbox.push({ ...offered, command: server['command'], args: server['args'] });
    else return null;
  }
  return manifest;
}

function parseOffer(server: JsonValue): BrokeredManifest | null {
  if (!isJsonObject(server)) return null;
  const { name, tools } = server;
  if (typeof name !== 'string' || !Array.isArray(tools)) return null;
  const parsed = tools.map(parseTool).filter((tool) => tool !== null);
  return parsed.length === tools.length ? { name, tools: parsed } : null;
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
