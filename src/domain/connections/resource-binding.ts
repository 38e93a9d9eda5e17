import type { JsonObject } from '../json.js';
import type { BrokeredTool } from '../run/spec.js';

export type SlotKind = 'mcp' | 'workspace_fetch' | 'result_publish';

/** Who stood behind the run when its bindings were resolved (docs/design/connections.md). */
export type ResolverKind = 'user' | 'operator' | 'trigger' | 'schedule' | 'webhook' | 'system';

/** With which authority a slot acts. `none` is a decision, never a missing value. */
export type BindingAuthority =
  | {
      kind: 'connection';
      connectionId: string;
      /** The connection's authorization generation when the run was created. */
      generation: number;
      ownerType: 'organization' | 'user';
      /** Set exactly for a personal connection. */
      ownerUserId: string | null;
    }
  | { kind: 'subscription_secret'; subscriptionId: string; generation: number }
  | { kind: 'none' };

/** The tool set of an mcp slot, as one snapshot has it. */
export interface BoundToolSet {
  snapshotVersion: number;
  tools: BrokeredTool[];
  /** `sha256:` + 64 hex over {@link tools}. */
  digest: string;
}

/** One slot of one run, frozen when the run is created and never changed. */
export interface ResourceBinding {
  id: string;
  organizationId: string;
  runId: string;
  slotKind: SlotKind;
  /** Slot of the requirement; `workspace`; `publish:<index>`. */
  slot: string;
  authority: BindingAuthority;
  /** Exactly for the slot kind mcp. */
  toolSet: BoundToolSet | null;
  resourceScope: JsonObject;
  resolvedBy: { kind: ResolverKind; id: string | null };
  bindingMode: 'invoking_user' | 'organization' | 'explicit';
}
