import type { FrozenTool } from '../run/spec.js';

/** Who vouches for an entry: Sandgate, an import, or the organization that added it. */
export const CONNECTOR_TIERS = ['verified', 'community', 'custom'] as const;
export type ConnectorTier = (typeof CONNECTOR_TIERS)[number];

/** A remote MCP server; a program inside the sandbox; an interface that is listed and cannot be connected. */
export const CONNECTOR_TRANSPORTS = ['streamable_http', 'stdio', 'rest_action'] as const;
export type ConnectorTransport = (typeof CONNECTOR_TRANSPORTS)[number];

export const CONNECTOR_AUTH_MODES = ['none', 'api_key', 'oauth'] as const;
export type ConnectorAuthMode = (typeof CONNECTOR_AUTH_MODES)[number];

/** How a key is sent, and what a form tells people about it. A definition holds no credential (CP-043). */
export interface AuthHints {
  /** Header that carries the key; `Authorization` without it. */
  header_name?: string;
  /** `Bearer`, `Basic` or nothing before the key; `Bearer` without it. */
  scheme?: string;
  /** How several parts make one key, for example `email:token`. */
  composite?: string;
  /** Page on which a person makes a key. */
  key_url?: string;
  /** What a key looks like. */
  placeholder?: string;
}

/** What the catalog would answer for a tool. The run's policy decides; nothing reads this when a call is judged. */
export interface ToolHint {
  pattern: string;
  action: 'allow' | 'approve';
  note: string | null;
}

/** A program of the sandbox and its tools, from which connecting publishes a capability bundle. */
export interface SandboxLaunch {
  command: string;
  args: string[];
  tools: FrozenTool[];
}

export const PROVENANCE_SOURCES = ['service', 'custom', 'mcp-registry', 'open-connector'] as const;

/** Where an entry came from; shown to people. */
export interface Provenance {
  source: (typeof PROVENANCE_SOURCES)[number];
  source_ref: string | null;
  upstream_id: string | null;
  status: string | null;
  imported_at: string | null;
}

/** What describes a connector, whoever adds it (docs/design/connections.md). Untrusted reference data. */
export interface ConnectorDefinition {
  slug: string;
  name: string;
  icon: string | null;
  description: string | null;
  categories: string[];
  scopes: string[];
  egress: string[];
  url: string | null;
  transport: ConnectorTransport;
  auth_mode: ConnectorAuthMode;
  auth_hints: AuthHints;
  tool_hints: ToolHint[];
  sandbox_launch: SandboxLaunch | null;
}

/** An entry that is listed for reference only has nothing that could be connected. */
export function isConnectable({ transport }: Pick<ConnectorDefinition, 'transport'>): boolean {
  return transport !== 'rest_action';
}
