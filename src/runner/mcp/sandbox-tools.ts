import type { CanonicalTool } from '../tools/canonical-tool.js';

/** The tools of the run's sandbox servers, as harnesses use them. They do nothing before the gate was asked. */
export interface SandboxTools {
  /** Under their names `mcp__<server>__<tool>`, in the order of the manifest. */
  readonly tools: readonly CanonicalTool[];
  /** Frozen tools that their servers do not offer at the moment. */
  readonly missing: readonly string[];
  /** Whether the name is one of a sandbox server of this run, frozen tool or not. */
  readonly owns: (name: string) => boolean;
  readonly close: () => Promise<void>;
}

export const NO_SANDBOX_TOOLS: SandboxTools = {
  tools: [],
  missing: [],
  owns: () => false,
  close: () => Promise.resolve(),
};
