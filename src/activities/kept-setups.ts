import { realpath } from 'node:fs/promises';
import { layerKey } from '../domain/setup/layer-key.js';
import type { FrozenSetup, RunSpec } from '../domain/run/spec.js';
import type { Database, TenantTransaction } from '../core/record/database.js';
import { recordKeptSetup, recordReusedSetup } from '../core/setup/setup-record.js';
import { claimLayer, dropLayer, keepLayer, useLayer, type LayerRow } from '../core/setup/setup-layers.js';
import { newRowId } from '../platform/postgres/row-id.js';
import type { Capture, SetupLayers } from '../platform/sandbox/setup-layers.js';
import type { WorkspaceStore } from '../platform/workspace/index.js';
import type { RunRef } from './run-activities.js';

export interface KeptSetupDependencies {
  database: Database;
  workspaces: WorkspaceStore;
  layers: SetupLayers;
  hostId: string;
  log: { warn(fields: Record<string, unknown>, message: string): void };
}

/** Reuses what the setup of an earlier run made of the same, and keeps what this one makes (docs/design/setup.md). */
export class KeptSetups {
  constructor(private readonly on: KeptSetupDependencies) {}

  /**
   * Lays what an earlier run made beneath the workspace. Where there is nothing: the id under which this run's result will be kept, null
   * where it cannot be told apart from others, or another run is making it.
   */
  async find(
    run: RunRef,
    spec: RunSpec,
    setup: FrozenSetup,
    baseCommit: string,
  ): Promise<{ reused: true } | { layerId: string | null }> {
    const key = setup.cache ? await this.keyOf(run, spec, setup, baseCommit) : null;
    if (key === null) return { layerId: null };
    const layer = await this.within(run, (tx) => useLayer(tx, this.on.hostId, key));
    if (layer !== undefined && (await this.reuse(run, key, layer))) return { reused: true };
    const id = newRowId();
    const claim = { id, hostId: this.on.hostId, key, runId: run.runId };
    if (!(await this.within(run, (tx) => claimLayer(tx, claim)))) return { layerId: null };
    await this.on.layers.watch(run.runId);
    return { layerId: id };
  }

  /** The setup is over and its sandbox dead. Whatever becomes of its result, the run goes on with it. */
  async keep(run: RunRef, layerId: string): Promise<void> {
    const capture = await this.on.layers.capture(run.runId, layerId);
    const kept = capture.kept && (await this.within(run, (tx) => keepLayer(tx, { id: layerId, ...capture })));
    if (!kept) await this.giveUp(run, layerId);
    if (!capture.kept && capture.cause !== undefined)
      this.on.log.warn({ err: capture.cause, run: run.runId }, 'the result of a setup could not be kept');
    await this.within(run, (tx) => recordKeptSetup(tx, run.runId, outcomeOf(capture, kept)));
  }

  /** Frees the key for the next run. */
  async giveUp(run: RunRef, layerId: string): Promise<void> {
    await this.within(run, (tx) => dropLayer(tx, layerId));
    await this.on.layers.remove(layerId);
  }

  private async reuse(run: RunRef, key: string, { id, content_digest, made_by }: LayerRow): Promise<boolean> {
    let laid = false;
    try {
      laid = await this.on.layers.lay(run.runId, { id, contentDigest: content_digest });
      if (laid) await this.within(run, (tx) => recordReusedSetup(tx, run.runId, { key, madeBy: made_by }));
    } finally {
      // Also when it could not be mounted: the launch is repeated then, and begins without it.
      if (!laid) {
        this.on.log.warn({ run: run.runId, layer: id }, 'what was kept of a setup is not what it was, and is deleted');
        await this.giveUp(run, id);
      }
    }
    return laid;
  }

  private async keyOf(run: RunRef, spec: RunSpec, setup: FrozenSetup, baseCommit: string): Promise<string | null> {
    const repository = await repositoryOf(spec);
    if (repository === null) return null;
    const [files, environment] = await Promise.all([
      this.on.workspaces.listBase(run.runId, baseCommit),
      this.on.layers.environment(spec.runner_image),
    ]);
    return layerKey({ organizationId: run.organizationId, spec, setup, repository, environment, files });
  }

  private within<T>(run: RunRef, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.on.database.withTenant(run.organizationId, work);
  }
}

/** Whatever a client sends may be its alone, and an empty workspace is of no repository. */
async function repositoryOf({ workspace }: RunSpec): Promise<string | null> {
  if (workspace.kind === 'git_repository') return `git:${workspace.clone_url}`;
  if (workspace.kind === 'local_copy') return `local:${await realpath(workspace.path)}`;
  return null;
}

function outcomeOf(
  capture: Capture,
  kept: boolean,
): { kept: boolean; bytes?: number; files?: number; reason?: string } {
  if (!capture.kept) return { kept, reason: capture.reason };
  const { bytes, files } = capture;
  return kept ? { kept, bytes, files } : { kept, reason: 'another run has made the same meanwhile' };
}
