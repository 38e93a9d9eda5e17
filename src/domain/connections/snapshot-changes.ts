import type { SnapshotTool } from '../mcp/snapshot-tool.js';

/** The parts of a snapshot that are compared. */
export interface ComparedSnapshot {
  protocolVersion: string;
  tools: readonly Pick<SnapshotTool, 'name' | 'definition_digest'>[];
}

/** How a server's tools differ from those of the previous snapshot; names in the order of the snapshots. */
export interface SnapshotChanges {
  added: string[];
  removed: string[];
  /** The name is the same; the description or a schema changed. */
  changed: string[];
  protocol: { from: string; to: string } | null;
}

/**
 * Runs that froze `before` are denied every tool in `removed` and `changed`, and all tools after a change of `protocol`
 * (docs/design/broker.md).
 */
export function compareSnapshots(before: ComparedSnapshot, after: ComparedSnapshot): SnapshotChanges {
  const known = new Map(before.tools.map((tool) => [tool.name, tool.definition_digest]));
  const offered = new Set(after.tools.map((tool) => tool.name));
  const names = (tools: readonly { name: string }[]): string[] => tools.map((tool) => tool.name);
  return {
    added: names(after.tools.filter((tool) => !known.has(tool.name))),
    removed: names(before.tools.filter((tool) => !offered.has(tool.name))),
    changed: names(
      after.tools.filter((tool) => known.has(tool.name) && known.get(tool.name) !== tool.definition_digest),
    ),
    protocol:
      before.protocolVersion === after.protocolVersion
        ? null
        : { from: before.protocolVersion, to: after.protocolVersion },
  };
}
