import { toolsDigest } from '../capabilities/tools-digest.js';
import type { JsonObject } from '../json.js';
import type { BrokeredToolSet, FrozenBundle, FrozenTool } from '../run/spec.js';
import { parseMcpName } from '../tools/mcp-name.js';
import { dialectOf, type SchemaDialect } from './schema-dialect.js';

interface Callable {
  /** `mcp__<server>__<tool>`. */
  name: string;
  schema: JsonObject;
  dialect: SchemaDialect;
  /** Names the compiled form of the schema: tools digest of the server, tool, dialect (docs/design/gate.md). */
  validatorKey(): string;
}

/** A tool that executes in the sandbox, after the gate has allowed it. */
export interface SandboxCallable extends Callable {
  class: 'sandbox';
}

/** A tool that the control plane calls with the bound connection's credential, after the gate has allowed it. */
export interface BrokeredCallable extends Callable {
  class: 'brokered';
  toolSet: BrokeredToolSet;
  /** Its name on the server. */
  tool: string;
}

/** An MCP tool that a run may call, as it was frozen. */
export type FrozenCallable = SandboxCallable | BrokeredCallable;

interface ServerTools {
  server: string;
  tools: readonly FrozenTool[];
  dialect: SchemaDialect;
  /** Of the tools; computed when it is first asked for. */
  digest: () => string;
}

/**
 * Every MCP tool of one run (CP-311). What is not in it cannot be called, whatever policy says. The brokered tools of a slot
 * come before the bundles: the first tool of a name stays.
 */
export class ToolSet {
  private readonly tools = new Map<string, FrozenCallable>();

  constructor(bundles: readonly FrozenBundle[] = [], brokered: readonly BrokeredToolSet[] = []) {
    for (const toolSet of brokered) {
      const { slot, tools, tools_digest: digest, protocol_version: version } = toolSet;
      const frozen = { server: slot, tools, dialect: dialectOf(version), digest: () => digest };
      this.enter(frozen, (callable, tool) => ({ ...callable, class: 'brokered', toolSet, tool }));
    }
    for (const { name: server, tools } of bundles.flatMap(({ servers }) => servers)) {
      let digest: string | undefined;
      const frozen = { server, tools, dialect: dialectOf(undefined), digest: () => (digest ??= toolsDigest(tools)) };
      this.enter(frozen, (callable) => ({ ...callable, class: 'sandbox' }));
    }
  }

  /** Undefined for a malformed name, and for a tool that is not frozen. */
  find(name: string): FrozenCallable | undefined {
    return this.tools.get(name);
  }

  private enter(
    { server, tools, dialect, digest }: ServerTools,
    classify: (callable: Callable, tool: string) => FrozenCallable,
  ): void {
    for (const { name: tool, input_schema: schema } of tools) {
      const name = `mcp__${server}__${tool}`;
      const parsed = parseMcpName(name);
      if (parsed?.server !== server || parsed.tool !== tool || this.tools.has(name)) continue;
      const validatorKey = (): string => `${digest()} ${tool} ${dialect}`;
      this.tools.set(name, classify({ name, schema, dialect, validatorKey }, tool));
    }
  }
}
