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

/** CP-312: what drifted, by the beginnings of digests; none of the server's words. What to do stands before what may be cut off. */
export function describeToolDrift(name: string, { offered, frozen }: DefinitionDrift, refreshPath: string): ToolDrift {
  const change =
    offered === null
      ? 'is no longer offered'
      : offered === frozen
        ? 'is offered more than once'
        : 'is not what this run froze';
  const digests = `(offered ${offered === null ? 'none' : shortened(offered)}, frozen ${shortened(frozen)})`;
  const text = `mcp tool drift: ${name} ${change}; ${advice(refreshPath)} ${digests}`;
  return { state: 'drift', kind: 'tool', offered, frozen, text };
}

function shortened(digest: string): string {
  return digest.slice(0, 'sha256:'.length + 16);
}

function advice(refreshPath: string): string {
  return `review it, POST ${refreshPath} and start a new run`;
}
