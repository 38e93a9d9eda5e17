import { toolsDigest } from '../capabilities/tools-digest.js';
import type { JsonObject } from '../json.js';
import type { FrozenBundle, FrozenServer } from '../run/spec.js';
import { parseMcpName } from '../tools/mcp-name.js';
import { dialectOf, type SchemaDialect } from './schema-dialect.js';

/** An MCP tool that a run may call, as it was frozen. */
export interface FrozenCallable {
  /** Where a call of it executes: in the sandbox, after the gate has allowed it. */
  class: 'sandbox';
  /** `mcp__<server>__<tool>`. */
  name: string;
  schema: JsonObject;
  dialect: SchemaDialect;
  /** Names the compiled form of the schema: tools digest of the server, tool, dialect (chapter 30 §9). */
  validatorKey(): string;
}

/**
 * Every MCP tool of one run (chapter 30 §7.1, stage 2). What is not in here cannot be called, whatever policy says. A surface
 * that is to be asked before the bundles has its tools entered before theirs: the first of a name stays.
 */
export class FrozenSet {
  private readonly tools = new Map<string, FrozenCallable>();

  constructor(bundles: readonly FrozenBundle[] = []) {
    for (const { servers } of bundles) for (const server of servers) this.enterServer(server);
  }

  /** Undefined for a malformed name, and for a tool that is not frozen. */
  find(name: string): FrozenCallable | undefined {
    return this.tools.get(name);
  }

  private enterServer({ name: server, tools }: FrozenServer): void {
    let digest: string | undefined;
    const dialect = dialectOf(undefined);
    for (const tool of tools) {
      const name = `mcp__${server}__${tool.name}`;
      const parsed = parseMcpName(name);
      if (parsed?.server !== server || parsed.tool !== tool.name || this.tools.has(name)) continue;
      this.tools.set(name, {
        class: 'sandbox',
        name,
        schema: tool.input_schema,
        dialect,
        validatorKey: () => `${(digest ??= toolsDigest(tools))} ${tool.name} ${dialect}`,
      });
    }
  }
}
