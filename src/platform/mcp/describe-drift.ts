import type { DefinitionDrift } from '../../domain/mcp/tool-drift.js';
import type { Greeting } from './handshake.js';
import type { ToolDrift } from './mcp-outcome.js';

/** CP-307: both versions and what to do about it. */
export function describeVersionDrift(
  { supported, protocolVersion }: Greeting,
  frozen: string | undefined,
  refreshPath: string,
): ToolDrift {
  const expected = frozen ?? 'a supported version';
  const offered = supported
    ? `negotiated ${protocolVersion}`
    : `negotiated unsupported protocol version ${protocolVersion}`;
  return {
    state: 'drift',
    kind: 'protocol',
    offered: protocolVersion,
    frozen: expected,
    text: `mcp protocol drift: the server ${offered}, this run froze ${expected}; ${advice(refreshPath)}`,
  };
}

/** CP-312: what drifted, by digests; none of the server's words. */
export function describeToolDrift(name: string, { offered, frozen }: DefinitionDrift, refreshPath: string): ToolDrift {
  const change =
    offered === null
      ? `the server no longer offers ${name}`
      : offered === frozen
        ? `the server offers ${name} more than once`
        : `the server's definition of ${name} is no longer the frozen one (offered ${offered}, frozen ${frozen})`;
  return { state: 'drift', kind: 'tool', offered, frozen, text: `mcp tool drift: ${change}; ${advice(refreshPath)}` };
}

function advice(refreshPath: string): string {
  return `review what it offers now, POST ${refreshPath}, and start a new run`;
}
