import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import type { SandboxSpec } from '../provider.js';
import { writeEtcFiles } from '../room/etc-files.js';
import { INSIDE } from '../room/inside.js';
import type { RunFolder } from '../room/run-folder.js';
import { runMounts, type RunMount } from '../room/run-mounts.js';
import type { RunRooms } from '../room/run-rooms.js';
import { containerBody, type ContainerPlan } from './container-spec.js';
import type { ContainerFacts, Engine } from './engine.js';
import { AttachedContainer } from './attached-container.js';
import { isSame, type ContainerIdentity } from './handle.js';
import { ownerOfRun, type OpenPlane, type PlaneNetworks } from './plane-network.js';
import { seccompOption } from './seccomp-option.js';

/** Longer than a loaded machine needs to start Node; a launch that takes more is broken. */
const READY_TIMEOUT_MS = 30_000;
const OUTPUT_TAIL_CHARACTERS = 2048;
const MIB = 1024 * 1024;

export interface ContainerLaunch {
  name: string;
  spec: SandboxSpec;
  folder: RunFolder;
  rooms: RunRooms;
  dataDir: string;
  engine: Engine;
  image: string;
  runtime: string | null;
  labels: Record<string, string>;
  deployment: string;
  /** Where sandboxes have a network that leads to the plane, because they cannot reach its socket. */
  plane: PlaneNetworks | null;
}

/**
 * Makes the container of a run, hands it everything, and waits until its self-check passed. What came to nothing is removed again.
 * @throws SandgateError `sandbox_failed` naming the point of the self-check, or what the engine said
 */
export async function launchContainer(launch: ContainerLaunch): Promise<ContainerIdentity> {
  const { engine, folder, name, spec } = launch;
  await Promise.all(['end.json', 'container.json'].map((note) => rm(join(folder.sandbox, note), { force: true })));
  await folder.writeNote('sizes.json', spec.sizes);
  const { plan, open } = await planOf(launch);
  const id = await engine.create(name, containerBody(plan));
  try {
    const found = await handOver(engine, id, spec, open);
    // It may have ended by now, which is for supervision to tell.
    if (found === null) throw new SandgateError('sandbox_failed', 'the sandbox was removed while it started');
    const identity = { id, startedAt: found.startedAt };
    await folder.writeNote('container.json', identity);
    return identity;
  } catch (error) {
    await engine.remove(id);
    throw error;
  }
}

/** Whether a launch of this folder came to its end with this container. */
export async function wasLaunched(folder: RunFolder, found: ContainerIdentity): Promise<boolean> {
  const noted = await folder.readNote<ContainerIdentity>('container.json');
  return noted !== null && isSame(found, noted);
}

/** Of the container that was launched last; null where none was. */
export function readSizes(folder: RunFolder): Promise<SandboxSizes | null> {
  return folder.readNote<SandboxSizes>('sizes.json');
}

async function planOf(launch: ContainerLaunch): Promise<{ plan: ContainerPlan; open: OpenPlane | null }> {
  const { dataDir, deployment, engine, folder, image, labels, plane, rooms, runtime, spec } = launch;
  const own = await rooms.claimUid(spec.runId);
  const uid = own ?? process.getuid?.() ?? 0;
  if (uid === 0) throw new SandgateError('sandbox_failed', 'a sandbox needs an unprivileged uid');
  const [flavour, disk, mounted, etc] = await Promise.all([
    engine.flavour(),
    rooms.diskOf(spec.runId),
    rooms.show(spec),
    showEtc(folder, rooms, uid),
  ]);
  const open = plane === null ? null : await plane.open(ownerOfRun(spec.runId, deployment), mounted.runtime);
  const plan = {
    ...{ image, flavour, runtime, labels, uid, ownUid: own !== null },
    sizes: spec.sizes,
    fileBytes: disk === 'folder' ? spec.sizes.disk_mb * MIB : null,
    mounts: [...etc, ...runMounts(spec, mounted)],
    seccomp: await seccompOption(flavour, dataDir),
    program: [INSIDE.runnerNode, INSIDE.runner],
    ...(open === null ? {} : { network: open.network }),
  };
  return { plan, open };
}

/** Each of the generated files stands in for the one of the image. */
async function showEtc(folder: RunFolder, rooms: RunRooms, uid: number): Promise<RunMount[]> {
  const place = join(folder.sandbox, 'etc');
  const names = await writeEtcFiles(place, uid);
  const shown = await rooms.showFolder(folder.runId, 'etc', place);
  return names.map((name) => ({ source: join(shown, name), target: `/etc/${name}`, readOnly: true }));
}

/**
 * Attached before the start, so that neither the hand-off nor the verdict is lost.
 * @returns the container as it was just after its start; null when somebody removed it
 */
async function handOver(
  engine: Engine,
  id: string,
  { variables, tokens }: SandboxSpec,
  open: OpenPlane | null,
): Promise<ContainerFacts | null> {
  const attached = await AttachedContainer.open(engine.socketPath, id);
  try {
    await engine.start(id);
    attached.handOff(JSON.stringify({ variables: { ...variables, ...profileOf(open) }, tokens }));
    const [answer, found] = await Promise.all([attached.awaitVerdict(READY_TIMEOUT_MS), engine.inspect(id)]);
    if ('output' in answer) throw failureOf(answer);
    if (answer.verdict === 'passed') return found;
    const point = answer.verdict.replace(/^failed /, '').trim();
    throw new SandgateError('sandbox_failed', `the sandbox's self-check failed: ${point}`);
  } finally {
    attached.close();
  }
}

/** Without a socket the runner speaks to the address, and whose it is its tokens alone decide. */
function profileOf(open: OpenPlane | null): Record<string, string> {
  if (open === null) return { SERVICE_SANDBOX_PROFILE: 'container' };
  return {
    SERVICE_SANDBOX_PROFILE: 'networked-container',
    SERVICE_CONTROL_URL: `http://${open.address}:${open.port}`,
    SERVICE_PLANE_SOCKET: '',
  };
}

function failureOf({ output, ended }: { output: string; ended: boolean }): SandgateError {
  const how = ended ? 'ended before it was ready' : 'was not ready within 30 s';
  const tail = output.slice(-OUTPUT_TAIL_CHARACTERS);
  return new SandgateError('sandbox_failed', `the sandbox ${how}${tail === '' ? '' : `: ${tail}`}`);
}
