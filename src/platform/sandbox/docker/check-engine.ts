import { basename } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import type { ProviderReport } from '../provider.js';
import { describeKeeping, tryDisk, tryHiding } from '../room/try-room.js';
import type { EngineFacts, ImageFacts } from './engine.js';
import { listenerProblem } from './plane-network.js';
import { TRIAL_SIZES, tryContainer, type CheckedEngine } from './try-container.js';
import { tryNetwork } from './try-network.js';

/** What the images of this version carry as their label; a change of what sandboxes need of them changes it. */
export const IMAGE_LABEL = { name: 'sandgate.image', value: '1' } as const;
/** Makes the images, without any registry. */
const BUILD_COMMAND = 'npm run images';

/** Runtimes that cannot give the profile, by their names and in what engines say of them. */
const GVISOR = /runsc|gvisor/i;
const GVISOR_REFUSED =
  'gVisor (runsc) executes no program that its user cannot read; the runner and the first process of a sandbox are such programs, so that nobody inside can look into them. Let SERVICE_DOCKER_RUNTIME be empty, and the engine use runc or crun';
const SOCKET_REACHED = /^plane: reached$/m;
const NONE = '0000000000000000';
/** What a program inside must find about itself: no capability, no way to get one, a filter. */
const EXPECTED_STATUS = { CapEff: NONE, CapPrm: NONE, CapBnd: NONE, CapAmb: NONE, NoNewPrivs: '1', Seccomp: '2' };

/**
 * Tries the whole profile with a real container; what the engine cannot give is a reason not to start (docs/design/docker.md). Finds
 * out as well whether the engine sees what this process mounts.
 */
export async function checkEngine(checked: CheckedEngine): Promise<ProviderReport> {
  const missing: string[] = [];
  const notes: string[] = [];
  if (GVISOR.test(checked.engineRuntime ?? '')) return { ok: false, missing: [GVISOR_REFUSED], notes };
  try {
    const facts = await checked.engine.describe();
    notes.push(describeFacts(facts, checked));
    const problem = imageProblem(checked.image, await checked.engine.inspectImage(checked.image));
    if (problem !== null) return { ok: false, missing: [problem], notes };
    notes.push(...(await tryDisk(checked.host, checked.dataDir)), ...(await tryHiding(checked.host, checked.dataDir)));
    const seen = await trySharing(checked, facts, notes);
    // What the engine does not see cannot lie beneath a workspace.
    notes.push(describeKeeping(checked.host));
    missing.push(...(await tryPlane(checked, facts, { seen, notes })));
    if (missing.length === 0) notes.push('limits of memory, processes and CPU are hard (cgroups of the engine)');
  } catch (error) {
    missing.push(...describeFailure(error));
  }
  return { ok: missing.length === 0, missing, notes };
}

function describeFailure(error: unknown): string[] {
  const text = error instanceof SandgateError ? error.message : `a container could not be tried: ${String(error)}`;
  return GVISOR.test(text) ? [GVISOR_REFUSED, text] : [text];
}

function describeFacts({ flavour, version }: EngineFacts, { engine, engineRuntime, host }: CheckedEngine): string {
  const name = flavour === 'podman' ? 'Podman' : 'Docker Engine';
  const below = engineRuntime === null ? '' : `, runtime ${engineRuntime}`;
  const who = host.hasRunUids ? 'one host uid for each run' : 'the uid of this process for all runs';
  return `${name} ${version} at ${engine.socketPath}${below}: ${who}`;
}

/** Why no container of a sandbox is made of an image; null where it is of this version. */
export function imageProblem(name: string, image: ImageFacts | null): string | null {
  if (image === null) return `the image ${name} is not on this engine; \`${BUILD_COMMAND}\` makes it`;
  if (image.labels[IMAGE_LABEL.name] === IMAGE_LABEL.value) return null;
  return `the image ${name} is not one of this version; \`${BUILD_COMMAND}\` makes it anew`;
}

/** An engine in another mount namespace sees the folders of this host, and not what is mounted on them here. */
async function trySharing(checked: CheckedEngine, { flavour }: EngineFacts, notes: string[]): Promise<string> {
  const { host } = checked;
  const seen = await tryContainer(checked, flavour);
  if (seesWorkspace(seen) || !(host.hasLoopDisks || host.hidesPaths)) return seen;
  host.hasLoopDisks = false;
  host.hidesPaths = false;
  notes.push(
    'the engine does not see what is mounted here: the limit of disk is soft, and sandboxes can read where the state folder is',
  );
  return tryContainer(checked, flavour);
}

/** Settles how sandboxes reach the runner plane. @returns what is missing */
async function tryPlane(
  checked: CheckedEngine,
  { flavour }: EngineFacts,
  { seen, notes }: { seen: string; notes: string[] },
): Promise<string[]> {
  const { plane, engineRuntime } = checked;
  const isWanted = plane.way === 'network';
  if (plane.way === 'auto') plane.way = SOCKET_REACHED.test(seen) ? 'socket' : 'network';
  if (plane.way === 'socket') return findWeaknesses(seen, engineRuntime);
  const problem = listenerProblem(plane);
  if (problem !== null) return isWanted ? [problem] : [...findWeaknesses(seen, engineRuntime), problem];
  notes.push('sandboxes have a network of their own, on which the runner plane is the only address');
  return findWeaknesses(await tryNetwork(checked, flavour), engineRuntime, plane.way);
}

function seesWorkspace(seen: string): boolean {
  return /^workspace: shared$/m.test(seen);
}

/** Judges what the trial's program printed. */
export function findWeaknesses(
  seen: string,
  engineRuntime: string | null,
  way: 'socket' | 'network' = 'socket',
): string[] {
  const has = (line: RegExp): boolean => line.test(seen);
  const weak = Object.entries(EXPECTED_STATUS)
    .filter(([name, value]) => !new RegExp(`^${name}:\\s*${value}$`, 'm').test(seen))
    .map(([name, value]) => `inside a container ${name} is not ${value}`);
  if (!(Number(/^processes: (\d+)$/m.exec(seen)?.[1]) <= 6)) weak.push('a container sees processes of others');
  if (!seesWorkspace(seen)) weak.push('the engine does not see the state folder at its own path');
  weak.push(...planeProblems(seen, way));
  if (!has(/^root: read-only$/m)) weak.push('the root of a container can be written');
  if (!has(/^init: closed$/m)) weak.push('the first process of a container can be looked into');
  return [...weak, ...limitProblems(seen), ...runtimeProblems(seen, engineRuntime)];
}

/** What leads out of a container, beside what should. */
function planeProblems(seen: string, way: 'socket' | 'network'): string[] {
  const ordinary = way === 'socket' ? ['lo'] : ['lo', 'eth0'];
  const interfaces = [...seen.matchAll(/^interface ([^:|]+):/gm)].map(([, name = '']) => name);
  const others = interfaces.filter((name) => !ordinary.includes(name));
  const problems = others.length > 0 ? [`a container has the network interfaces ${others.join(', ')}`] : [];
  if (way === 'socket')
    return SOCKET_REACHED.test(seen)
      ? problems
      : [...problems, 'a socket in a mounted folder cannot be reached from a container'];
  const heard = [...seen.matchAll(/^host: heard at (.*)$/gm)].map(([, address]) => address);
  if (!/^plane: heard$/m.test(seen))
    problems.push('the runner plane cannot be reached from the network of a container');
  if (heard.length > 0) problems.push(`a container reaches this host at ${heard.join(', ')}`);
  if (/^neighbour /m.test(seen)) problems.push('a container has an address of IPv6, by which it reaches this host');
  return problems;
}

function limitProblems(seen: string): string[] {
  const wanted: Record<string, RegExp> = {
    memory: new RegExp(`^memory: ${TRIAL_SIZES.memory_mb * 1024 * 1024}$`, 'm'),
    processes: /^pids: \d+$/m,
    processors: /^cpu: (?:50000|50000 100000)$/m,
  };
  return Object.entries(wanted)
    .filter(([, line]) => !line.test(seen))
    .map(([what]) => `the engine sets no limit of ${what}: its cgroups lack that controller`);
}

/** Podman takes no runtime from whoever makes a container, and does not say so. */
function runtimeProblems(seen: string, engineRuntime: string | null): string[] {
  const used = /^runtime: (.*)$/m.exec(seen)?.[1] ?? 'unknown';
  if (engineRuntime === null || used === engineRuntime || basename(used) === engineRuntime) return [];
  return [`containers are run by ${used}, although SERVICE_DOCKER_RUNTIME asks for ${engineRuntime}`];
}
