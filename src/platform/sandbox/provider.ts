import type { JsonObject } from '../../domain/json.js';
import type { SandboxSizes } from '../../domain/run/spec.js';
import type { WorkspaceArchive, WorkspaceStore } from '../workspace/index.js';
import type { RunHost } from './run-host.js';
import type { SetupLayers } from './setup-layers.js';

/** What one sandbox is made from. */
export interface SandboxSpec {
  runId: string;
  /**
   * `setup` prepares the workspace (docs/design/setup.md); the agent's sandbox is another one, started when that one is dead. `agent`
   * where nothing is said.
   */
  phase?: 'setup' | 'agent';
  /** The home folder lies on the run's disk and goes from one of its sandboxes to the next; otherwise it is empty and dies with each. */
  keepsHome?: boolean;
  /** The run may look at its workspace and not change it. */
  workspaceReadOnly?: boolean;
  /** Its program, where it has one, is at hand inside. */
  harness: string;
  /** Image that the agent's revision names, for providers that make sandboxes of images; empty takes the deployment's. */
  image?: string;
  sizes: SandboxSizes;
  /**
   * Configuration of the runner (docs/design/runner.md), without tokens. A provider that shows the workspace or the plane socket elsewhere
   * says so in their variables.
   */
  variables: Record<string, string>;
  /** They leave this process only as the runner alone can read them, never in an environment or a command line. */
  tokens: { control: string; tool: string; llm?: string };
  /**
   * Of a provider whose transport is `archive`: what the sandbox fetches from the runner plane before its runner starts, and the token that
   * lets it do that and nothing else (docs/design/workspaces.md).
   */
  archive?: WorkspaceArchive & { token: string };
}

/** Plain JSON that finds the sandbox again after a restart of this process; the session carries it on the wire (docs/design/runs.md). */
export interface SandboxHandle {
  runtime: string;
  external_id: string;
  attrs: JsonObject;
}

/** How a sandbox ended. `exitCode` is null when it was killed or never came to run. */
export interface SandboxExit {
  exitCode: number | null;
  reason: string;
}

export type SandboxState = { phase: 'running' } | ({ phase: 'terminated' } & SandboxExit);

/** What a runner printed last. */
export interface RunOutput {
  /** Raw: redact before showing. */
  bytes: Buffer;
  /** The beginning is lost, so that the first line may be torn. */
  cut: boolean;
}

/** `missing` makes the provider unusable on this host, `notes` are weaker promises that a person should know about. */
export interface ProviderReport {
  ok: boolean;
  missing: string[];
  notes: string[];
}

/**
 * A way to run agents apart from the host (docs/design/sandbox.md): the life of sandboxes and nothing else. What is in their workspaces
 * is asked of a `WorkspaceStore`, how they are reached of a `RunHost`. Every operation is idempotent by run id, and any process of the
 * host can go on with what another one began.
 */
export interface SandboxProvider {
  readonly name: string;
  /** How a workspace comes into its sandboxes: as the folder that was filled, unless it says otherwise, or as an archive. */
  readonly transport?: 'folder' | 'archive';
  /** Tries everything that is promised on this host; used by the boot and by `doctor`. Never throws. */
  check(): Promise<ProviderReport>;
  /**
   * Makes room for one more run: its workspace, empty or as it already is, of at most `disk_mb`, and whatever else of the host it needs for
   * itself. Kept until {@link release}.
   * @throws SandgateError `out_of_capacity` when this host has no room for one more run
   */
  reserve(runId: string, sizes: SandboxSizes): Promise<void>;
  /**
   * Starts the runner of a run whose room is reserved; returns when it runs. A live sandbox of the same run is answered as it is, never doubled.
   * @throws SandgateError `sandbox_failed`; `conflict` saying what to make, where the image of the run cannot be used
   */
  provision(spec: SandboxSpec): Promise<SandboxHandle>;
  state(handle: SandboxHandle): Promise<SandboxState>;
  /**
   * Resolves when the sandbox is gone, with everything that the runner left running in it. Enforces soft limits meanwhile. Rejects when `signal`
   * aborts, which leaves the sandbox alone.
   */
  waitForExit(handle: SandboxHandle, signal: AbortSignal): Promise<SandboxExit>;
  /** Kills every process of the sandbox and confirms their death; gone is success. @throws SandgateError `sandbox_failed` when death cannot be confirmed. */
  terminate(handle: SandboxHandle): Promise<void>;
  /** The last MiB that the runner of a run printed; nothing where it never ran or is released. */
  readOutput(runId: string): Promise<RunOutput>;
  /** Live sandboxes of this installation on this host, whoever started them. */
  listManaged(): Promise<{ runId: string; handle: SandboxHandle }[]>;
  /** Runs of which anything that {@link release} gives back is still on this host. */
  listRemains(): Promise<string[]>;
  /** Ends what still lives of the run, and gives back everything that was reserved for it, its workspace included. */
  release(runId: string): Promise<void>;
}

/** A provider with what goes with it. */
export interface Sandboxes {
  provider: SandboxProvider;
  workspaces: WorkspaceStore;
  runHost: RunHost;
  /** Left out where this host cannot keep the results of setups. */
  layers?: SetupLayers;
}
