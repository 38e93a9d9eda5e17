import type { FrozenTool } from '../run/spec.js';

/** A tool as a photograph stores it (chapter 40 §3). Annotations are for display only and never trusted. */
export interface SnapshotTool extends FrozenTool {
  /**
   * Digest of name, description and schemas as the server wrote them, numbers by their source text (06-gate §5). The schemas above
   * hold doubles, so that any store of JSON gives them back unchanged; a change that doubles cannot show is seen here.
   */
  definition_digest: string;
}
