import { setTimeout as sleep } from 'node:timers/promises';
import { SandgateError } from '../../../domain/errors.js';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import type {
  ProviderReport,
  RunOutput,
  SandboxExit,
  SandboxHandle,
  SandboxProvider,
  SandboxSpec,
  SandboxState,
} from '../provider.js';
import { Launches } from '../room/launch-lock.js';
import { describeExit } from '../room/describe-exit.js';
import { measureFolder } from '../room/measure-folder.js';
import { isRunId, RunFolder } from '../room/run-folder.js';
import { RunRooms, type RunRoomsOptions } from '../room/run-rooms.js';
import { checkEngine, imageProblem } from './check-engine.js';
import { LABELS, PLANE_PHASE } from './container-spec.js';
import type { ContainerFacts, Engine } from './engine.js';
import { fromHandle, isSame, toHandle, type ContainerIdentity } from './handle.js';
import { launchContainer, readSizes, wasLaunched } from './launch.js';
import { readFrames } from './frames.js';
import { ownerOfRun, PlaneNetworks, type PlaneAccess } from './plane-network.js';

const OUTPUT_BYTES = 1024 * 1024;
const MIB = 1024 * 1024;
const DEATH_TIMEOUT_MS = 10_000;
const DEATH_POLL_MS = 20;
/** How long one question for the end of a container stays open. */
const WAIT_MS = 30_000;
/** The same where the disk is measured between two questions. */
const SOFT_WAIT_MS = 2_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export interface DockerOptions extends RunRoomsOptions {
  engine: Engine;
  image: string;
  /** The engine's name of the runtime below it; null takes its default. */
  engineRuntime: string | null;
  /** Tells the containers of this installation from those of others on the engine. */
  deployment: string;
  /** How sandboxes reach the runner plane; the check settles what is left to it. */
  plane: PlaneAccess;
}

type Phase = NonNullable<SandboxSpec['phase']>;

/**
 * A container of a run; the same name whoever makes it. No run's id has a dot, so no other run's container has the name.
 * @throws SandgateError `invalid_request` for what cannot be a run's id
 */
function containerName(runId: string, phase: Phase): string {
  if (!isRunId(runId)) throw new SandgateError('invalid_request', 'a run id is letters, digits and hyphens');
  return phase === 'setup' ? `service-${runId}.setup` : `service-${runId}`;
}

/**
 * Sandboxes as containers of an engine of this host, Docker or Podman (docs/design/docker.md). Containers and folders hold all state, so any
 * process can go on with a run. An engine that does not answer says nothing about its containers: that is never taken for their end.
 */
export class DockerProvider implements SandboxProvider {
  readonly name = 'docker';
  private readonly launches = new Launches<SandboxHandle>();
  readonly rooms: RunRooms;
  private readonly engine: Engine;
  private readonly planes: PlaneNetworks;

  constructor(private readonly options: DockerOptions) {
    this.rooms = new RunRooms(options);
    this.engine = options.engine;
    this.planes = new PlaneNetworks(options);
  }

  /** Programs of a sandbox are those of its image. */
  async systemName(ofRun: string): Promise<string> {
    const { engineRuntime, image } = this.options;
    const found = await this.engine.inspectImage(ofRun || image);
    return [this.name, engineRuntime ?? 'default', found?.id ?? 'without an image'].join(' ');
  }

  check(): Promise<ProviderReport> {
    return checkEngine(this.options);
  }

  reserve(runId: string, sizes: SandboxSizes): Promise<void> {
    return this.rooms.reserve(runId, sizes);
  }

  provision(spec: SandboxSpec): Promise<SandboxHandle> {
    const folder = this.folder(spec.runId);
    return this.launches.join(spec.runId, folder, () => this.provisionAlone(spec, folder));
  }

  async state(handle: SandboxHandle): Promise<SandboxState> {
    const identity = fromHandle(handle);
    const found = await this.engine.inspect(identity.id);
    if (found !== null && isSame(found, identity) && found.running) return { phase: 'running' };
    return { phase: 'terminated', ...(await this.readExit(identity.runId, identity, found)) };
  }

  async waitForExit(handle: SandboxHandle, signal: AbortSignal): Promise<SandboxExit> {
    const { id, runId } = fromHandle(handle);
    const isSoft = (await this.rooms.diskOf(runId)) === 'folder';
    for (let pauseMs = FIRST_PAUSE_MS; ;) {
      signal.throwIfAborted();
      try {
        const state = await this.state(handle);
        if (state.phase === 'terminated') return { exitCode: state.exitCode, reason: state.reason };
        if (isSoft) await this.endWhenTooLarge(handle);
        await this.engine.awaitEnd(id, AbortSignal.any([signal, AbortSignal.timeout(isSoft ? SOFT_WAIT_MS : WAIT_MS)]));
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        // The engine is away; the run goes on, and is asked for again.
        if (!(error instanceof SandgateError) || error.code === 'invalid_request') throw error;
        await sleep(pauseMs, undefined, { signal });
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }

  async terminate(handle: SandboxHandle): Promise<void> {
    const identity = fromHandle(handle);
    const found = await this.engine.inspect(identity.id);
    if (found === null || !isSame(found, identity) || !found.running) return;
    await this.folder(identity.runId).writeEnd({ reason: 'the sandbox was ended by Sandgate' });
    await this.kill(identity.id, identity.runId);
  }

  async readOutput(runId: string): Promise<RunOutput> {
    // The one that was launched last: its launch removed the other.
    const log =
      (await this.engine.readLog(containerName(runId, 'agent'))) ??
      (await this.engine.readLog(containerName(runId, 'setup')));
    return outputOf(log);
  }

  async listManaged(): Promise<{ runId: string; handle: SandboxHandle }[]> {
    const found = [];
    for (const { id, labels, running } of await this.listOurs()) {
      const runId = labels[LABELS.phase] === PLANE_PHASE ? undefined : labels[LABELS.run];
      const facts = running && runId !== undefined ? await this.engine.inspect(id) : null;
      if (facts?.running === true && runId !== undefined) found.push({ runId, handle: toHandle(runId, facts) });
    }
    return found;
  }

  async listRemains(): Promise<string[]> {
    const found = await Promise.all([this.rooms.list(), this.listOurs(), this.planes.list(this.options.deployment)]);
    const [folders, ...others] = found;
    const named = others.flat().flatMap(({ labels }) => labels[LABELS.run] ?? []);
    return [...new Set([...folders, ...named.filter(isRunId)])];
  }

  async release(runId: string): Promise<void> {
    for (const phase of ['setup', 'agent'] as const) {
      const found = await this.engine.inspect(containerName(runId, phase));
      if (found === null || !this.isOurs(found)) continue;
      if (found.running) await this.kill(found.id, runId);
      await this.engine.remove(found.id);
    }
    await this.planes.close(ownerOfRun(runId, this.options.deployment));
    await this.rooms.giveBack(runId);
  }

  /** The lock is ours: whatever stands there without a runner in it was left by a launch that came to nothing. */
  private async provisionAlone(spec: SandboxSpec, folder: RunFolder): Promise<SandboxHandle> {
    const { phase = 'agent' } = spec;
    const name = containerName(spec.runId, phase);
    const [found] = await Promise.all([this.engine.inspect(name), this.clearOther(spec.runId, phase)]);
    if (found !== null) {
      if (!this.isOurs(found))
        throw new SandgateError('conflict', `a container ${name} of another installation is on this engine`);
      if (found.running && (await this.hasRunner(folder, found))) return toHandle(spec.runId, found);
      if (found.running) await this.kill(found.id, spec.runId);
      await this.engine.remove(found.id);
    }
    try {
      const identity = await launchContainer({
        name,
        spec,
        folder,
        rooms: this.rooms,
        ...this.launchOptions(spec.runId, phase),
        image: await this.imageOf(spec),
      });
      return toHandle(spec.runId, identity);
    } finally {
      this.rooms.hide(spec.runId);
    }
  }

  /** The run's sandbox of the other phase must be dead; its output was stored by whoever waited for its end. */
  private async clearOther(runId: string, phase: Phase): Promise<void> {
    const other = await this.engine.inspect(containerName(runId, phase === 'setup' ? 'agent' : 'setup'));
    if (other === null || !this.isOurs(other)) return;
    if (other.running) throw new SandgateError('sandbox_failed', 'another sandbox of the run is still alive');
    await this.engine.remove(other.id);
  }

  private launchOptions(runId: string, phase: Phase) {
    const { dataDir, engine, engineRuntime: runtime, deployment } = this.options;
    const own = { [LABELS.run]: runId, [LABELS.phase]: phase };
    const labels = { ...own, [LABELS.managed]: '1', [LABELS.deployment]: deployment };
    const plane = this.options.plane.way === 'network' ? this.planes : null;
    return { dataDir, deployment, engine, plane, runtime, labels };
  }

  /** One that a revision names is what it was when it was looked at, whatever its name means by then. */
  private async imageOf({ image: ofRun = '' }: SandboxSpec): Promise<string> {
    if (ofRun === '') return this.options.image;
    const found = await this.engine.inspectImage(ofRun);
    const problem = imageProblem(ofRun, found);
    if (found !== null && problem === null) return found.id;
    throw new SandgateError('conflict', `runner_image: ${problem}`);
  }

  /** It was handed everything and its self-check passed. A launcher that died may not have come to note that. */
  private async hasRunner(folder: RunFolder, found: ContainerFacts): Promise<boolean> {
    if (await wasLaunched(folder, found)) return true;
    const log = await this.engine.readLog(found.id);
    return log !== null && readFrames(log).verdict.startsWith('passed\n');
  }

  private async readExit(
    runId: string,
    identity: ContainerIdentity,
    found: ContainerFacts | null,
  ): Promise<SandboxExit> {
    const folder = this.folder(runId);
    const end = await folder.readEnd();
    if (end !== null) return { exitCode: null, reason: end.reason };
    if (found === null || !isSame(found, identity))
      return { exitCode: null, reason: 'the sandbox was removed from its engine' };
    const { exitCode } = found;
    if (found.outOfMemory)
      return { exitCode, reason: `the sandbox reached its limit of ${await this.memoryOf(folder)}memory` };
    // 128 and the number of a signal: nobody asked the runner.
    if (exitCode === 137) return { exitCode: null, reason: 'the sandbox was killed from outside' };
    return { exitCode, reason: describeExit(exitCode, outputOf(await this.engine.readLog(found.id)).bytes) };
  }

  private async memoryOf(folder: RunFolder): Promise<string> {
    const sizes = await readSizes(folder);
    return sizes === null ? '' : `${sizes.memory_mb} MiB of `;
  }

  private async endWhenTooLarge(handle: SandboxHandle): Promise<void> {
    const { runId, id } = fromHandle(handle);
    const folder = this.folder(runId);
    const sizes = await readSizes(folder);
    if (sizes === null) return;
    const bytes = sizes.disk_mb * MIB;
    if ((await measureFolder(folder.workspace, bytes)) <= bytes) return;
    await folder.writeEnd({ reason: `the sandbox wrote more than its ${sizes.disk_mb} MiB of disk` });
    await this.kill(id, runId);
  }

  /** @throws SandgateError `sandbox_failed` when the engine does not confirm the death */
  private async kill(id: string, runId: string): Promise<void> {
    await this.engine.kill(id);
    for (const deadline = Date.now() + DEATH_TIMEOUT_MS; ; await sleep(DEATH_POLL_MS)) {
      if ((await this.engine.inspect(id))?.running !== true) return;
      if (Date.now() > deadline)
        throw new SandgateError('sandbox_failed', `the processes of sandbox ${runId} do not end`);
    }
  }

  private listOurs(): ReturnType<Engine['list']> {
    return this.engine.list(`${LABELS.deployment}=${this.options.deployment}`);
  }

  private isOurs({ labels }: ContainerFacts): boolean {
    return labels[LABELS.deployment] === this.options.deployment;
  }

  private folder(runId: string): RunFolder {
    return new RunFolder(this.options.dataDir, runId);
  }
}

function outputOf(log: Buffer | null): RunOutput {
  const { output } = readFrames(log ?? Buffer.alloc(0));
  return { bytes: output.subarray(-OUTPUT_BYTES), cut: output.length >= OUTPUT_BYTES };
}
