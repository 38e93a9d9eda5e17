import type { JsonObject } from '../../domain/json.js';
import type { SandboxSizes } from '../../domain/run/spec.js';

/** What one sandbox is made from. Host paths are absolute; the tokens leave this process only through a descriptor. */
export interface SandboxSpec {
  runId: string;
  organizationId: string;
  /** As answered by `createWorkspace`; becomes `/workspace`. */
  workspaceDir: string;
  /** The run may look at its workspace and not change it. */
  workspaceReadOnly?: boolean;
  /** The run's directory below `planeRoot`, which holds `plane.sock`; becomes `/run/sandgate`, read-only. */
  planeDir: string;
  /** The program of the run's harness inside the data folder; becomes `/opt/sandgate/harness`, read-only. */
  harnessDir?: string | null;
  sizes: SandboxSizes;
  /** Configuration of the runner (docs/design/runner.md), without tokens. */
  variables: Record<string, string>;
  tokens: { control: string; tool: string; llm: string };
}

/** Plain JSON that finds the sandbox again after a restart of this process. */
export interface SandboxHandle {
  runtime: string;
  external_id: string;
  attrs: JsonObject;
}

export type SandboxState =
  | { phase: 'pending'; reason: string }
  | { phase: 'running' }
  | { phase: 'terminated'; exitCode: number | null; reason: string }
  | { phase: 'unknown'; reason: string };

/** How a sandbox ended. `exitCode` is null when it was killed or never came to run. */
export interface SandboxExit {
  exitCode: number | null;
  reason: string;
}

/** `missing` makes the provider unusable on this host, `notes` are weaker promises that a person should know about. */
export interface ProviderReport {
  ok: boolean;
  missing: string[];
  notes: string[];
}

/** A way to run agents apart from the host (docs/design/sandbox.md). Every operation is idempotent by run id. */
export interface SandboxProvider {
  readonly name: string;
  /** Tries the whole profile on this host; used by the boot and by `doctor`. Never throws. */
  check(): Promise<ProviderReport>;
  /**
   * Host directory of the run's workspace, of at most `disk_mb`; answers the existing one when it is already there.
   * @throws SandgateError `out_of_capacity` when this host has no uid or no disk for one more run
   */
  createWorkspace(runId: string, sizes: SandboxSizes): Promise<string>;
  /** The workspace of a run where this host still has it, mounted again after a reboot when necessary; else null. */
  reopenWorkspace(runId: string): Promise<string | null>;
  /** Host uid that the run's processes have, or null when it is the uid of this process. */
  workspaceOwner(runId: string): Promise<number | null>;
  /** Returns when the runner runs. A live sandbox of the same run is answered as it is, never doubled. @throws SandgateError `sandbox_failed` */
  provision(spec: SandboxSpec): Promise<SandboxHandle>;
  state(handle: SandboxHandle): Promise<SandboxState>;
  /** Resolves when the sandbox is gone. Enforces soft limits meanwhile. Rejects when `signal` aborts, which leaves the sandbox alone. */
  waitForExit(handle: SandboxHandle, signal: AbortSignal): Promise<SandboxExit>;
  /** Kills every process of the sandbox and confirms their death; gone is success. @throws SandgateError `sandbox_failed` when death cannot be confirmed. */
  terminate(handle: SandboxHandle): Promise<void>;
  /** The last MiB that the runner printed, raw: redact before showing. */
  readOutput(runId: string): Promise<Buffer>;
  /** Live sandboxes that this data folder started, whoever started them. */
  listManaged(): Promise<{ runId: string; handle: SandboxHandle }[]>;
  /** Runs of which anything (folder, mount, uid, process) is still on this host. */
  listRemains(): Promise<string[]>;
  /** Ends what still lives of the run and deletes its mounts, folders, cgroups and uid. */
  release(runId: string): Promise<void>;
}

/** Hands out one unprivileged host uid per live run. Claiming twice answers the same uid. */
export interface UidAllocator {
  claim(runId: string): Promise<number>;
  release(runId: string): Promise<void>;
}
