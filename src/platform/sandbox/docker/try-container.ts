import { randomUUID } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { bindingAddress, makePlaneDirectory, removePlaneDirectory } from '../../host/plane-socket-path.js';
import { removeTree } from '../../host/remove-tree.js';
import { mountDisk, unmountDisk } from '../disk/loop-disk.js';
import { NOBODY } from '../room/etc-files.js';
import { INSIDE } from '../room/inside.js';
import type { RunMount } from '../room/run-mounts.js';
import type { RoomAbilities } from '../room/run-rooms.js';
import { ShownFolders } from '../room/shown-folders.js';
import { containerBody, LABELS } from './container-spec.js';
import type { Engine, EngineFlavour } from './engine.js';
import { AttachedContainer } from './attached-container.js';
import type { OpenPlane, PlaneAccess } from './plane-network.js';
import { seccompOption } from './seccomp-option.js';
import { isLeftBehind, shortLived } from './short-lived.js';

/** An engine with what decides how containers are made on it. */
export interface CheckedEngine {
  engine: Engine;
  dataDir: string;
  deployment: string;
  image: string;
  engineRuntime: string | null;
  host: RoomAbilities;
  plane: PlaneAccess;
}

/** A network that a trial's container is on, and what it must not find there. */
export interface TrialNetwork {
  open: OpenPlane;
  /** Said by whoever is reached. */
  word: string;
  /** A listener of this host, on all its addresses. */
  hostPort: number;
  /** Where the host may be found. */
  hostAddresses: string[];
}

export const TRIAL_SIZES = { memory_mb: 64, cpus: 0.5, disk_mb: 16, pids: 32 };
const TIMEOUT_MS = 30_000;

/** Prints what a process inside finds about itself and its surroundings. */
const PROGRAM = String.raw`cat /proc/self/status
sed 's/^ */interface /' /proc/net/dev
echo "processes: $(ls -d /proc/[0-9]* | wc -l)"
limit() { for file in "$2" "$3"; do [ -r "/sys/fs/cgroup/$file" ] && echo "$1: $(cat "/sys/fs/cgroup/$file")"; done; }
limit memory memory/memory.limit_in_bytes memory.max
limit pids pids/pids.max pids.max
limit cpu cpu/cpu.cfs_quota_us cpu.max
[ "$(cat /workspace/mark /opt/sandgate/mark)" = "$0$0" ] && echo 'workspace: shared'
(: > /mark) 2> /dev/null || echo 'root: read-only'
(: < /proc/1/environ) 2> /dev/null || echo 'init: closed'
perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("/run/sandgate/plane.sock")) && print "plane: reached\n"'
grep -v ' lo$' /proc/net/if_inet6 2> /dev/null | sed 's/^/neighbour /'
hear() { perl -MSocket -e 'alarm 2; socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in($ARGV[1], inet_aton($ARGV[0]))) && sysread(S, $_, 64) && print' "$1" "$2"; }
[ $# -gt 0 ] || exit 0
word=$1 host_port=$4
[ "$(hear "$2" "$3")" = "$word" ] && echo 'plane: heard'
shift 4
for address; do [ "$(hear "$address" "$host_port")" = "$word" ] && echo "host: heard at $address"; done
exit 0`;

/** Runs {@link PROGRAM} in a container with the profile of a run's. @returns what it printed */
export async function tryContainer(
  checked: CheckedEngine,
  flavour: EngineFlavour,
  network?: TrialNetwork,
): Promise<string> {
  // With a network, its forwarder is of this very trial.
  if (network === undefined) await removeEarlier(checked);
  await using place = await TrialPlace.make(checked);
  const { dataDir, deployment, engine, engineRuntime: runtime, image } = checked;
  const id = await engine.create(
    `service-trial-${place.mark}`,
    containerBody({
      image,
      flavour,
      runtime,
      labels: shortLived(deployment),
      uid: NOBODY,
      ownUid: false,
      sizes: TRIAL_SIZES,
      fileBytes: null,
      mounts: place.mounts,
      seccomp: await seccompOption(flavour, dataDir),
      program: ['/bin/sh', '-c', PROGRAM, place.mark, ...argumentsOf(network)],
      ...(network === undefined ? {} : { network: network.open.network }),
    }),
  );
  try {
    const used = await engine.runtimeOf(id, flavour);
    return `${await outputOf(checked, id)}runtime: ${used ?? 'unknown'}\n`;
  } finally {
    await engine.remove(id);
  }
}

function argumentsOf(network: TrialNetwork | undefined): string[] {
  if (network === undefined) return [];
  const { open, word, hostPort, hostAddresses } = network;
  return [word, open.address, String(open.port), String(hostPort), ...hostAddresses];
}

async function outputOf({ engine }: CheckedEngine, id: string): Promise<string> {
  const attached = await AttachedContainer.open(engine.socketPath, id);
  try {
    await engine.start(id);
    return await attached.awaitEnd(TIMEOUT_MS);
  } finally {
    attached.close();
  }
}

/** Of a process that ended in the middle of a trial. */
async function removeEarlier({ deployment, engine }: CheckedEngine): Promise<void> {
  const found = await engine.list(`${LABELS.trial}=${deployment}`);
  for (const { id } of found.filter(({ labels }) => isLeftBehind(labels))) await engine.remove(id);
}

/** Folders as a run has them, with a socket that somebody listens on. */
class TrialPlace implements AsyncDisposable {
  readonly mark = randomUUID();
  /** Not like a run's, whose plane the API would begin to serve. */
  private readonly plane = `trial-${this.mark}`;
  mounts: RunMount[] = [];
  private server: Server | null = null;
  private readonly folder: string;

  private constructor(private readonly checked: CheckedEngine) {
    this.folder = join(checked.dataDir, `.container-trial-${this.mark}`);
  }

  static async make(checked: CheckedEngine): Promise<TrialPlace> {
    const place = new TrialPlace(checked);
    try {
      await place.prepare();
      return place;
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server?.close();
    await removePlaneDirectory(this.checked.dataDir, this.plane);
    await new ShownFolders(join(this.folder, 'shown')).hide();
    await unmountDisk(join(this.folder, 'workspace'));
    await removeTree(this.folder);
  }

  private async prepare(): Promise<void> {
    const { dataDir, host } = this.checked;
    const [runtime, workspace] = [join(this.folder, 'runtime'), join(this.folder, 'workspace')];
    for (const path of [runtime, workspace]) await mkdir(path, { recursive: true, mode: 0o755 });
    if (host.hasLoopDisks) await mountDisk(join(this.folder, 'disk.img'), workspace, TRIAL_SIZES.disk_mb);
    for (const path of [runtime, workspace]) {
      await chmod(path, 0o755);
      await writeFile(join(path, 'mark'), this.mark);
      await chmod(join(path, 'mark'), 0o644);
    }
    const shown = host.hidesPaths ? await new ShownFolders(join(this.folder, 'shown')).show({ runtime }) : { runtime };
    const plane = await makePlaneDirectory(dataDir, this.plane);
    await chmod(plane, 0o755);
    this.server = await listenIn(plane);
    this.mounts = [
      { source: shown.runtime ?? runtime, target: INSIDE.runtime, readOnly: true },
      { source: plane, target: INSIDE.plane, readOnly: true },
      { source: workspace, target: INSIDE.workspace, readOnly: false },
    ];
  }
}

async function listenIn(plane: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  const path = join(plane, 'plane.sock');
  const address = await bindingAddress(path);
  server.listen(address.path);
  await once(server, 'listening');
  await address.release();
  await chmod(path, 0o666);
  return server;
}
