import { setTimeout as sleep } from 'node:timers/promises';
import { SandgateError } from '../../../domain/errors.js';
import { isLoopbackHost } from '../../host/loopback.js';
import { NOBODY } from '../room/etc-files.js';
import { INSIDE } from '../room/inside.js';
import { containerBody, LABELS, PLANE_PHASE, type ContainerNetwork } from './container-spec.js';
import type { Engine, EngineFlavour } from './engine.js';
import { EngineNetworks, type EngineNetwork } from './networks.js';
import { readFrames } from './frames.js';
import { seccompOption } from './seccomp-option.js';

/** How sandboxes reach the runner plane, and where it is for those that have a network (docs/design/docker.md). */
export interface PlaneAccess {
  /** `auto` until the check has found out whether a mounted socket answers. */
  way: 'auto' | 'socket' | 'network';
  /** The API's listener. */
  listener: { readonly host: string; readonly port: number };
}

/** The only port of the only address that a sandbox finds on its network. */
const PLANE_PORT = 8788;
const FORWARDER_SIZES = { memory_mb: 128, cpus: 1, disk_mb: 0, pids: 32 };
const READY_MS = 15_000;
const READY_POLL_MS = 25;
/** The networks that containers have when nobody says otherwise. */
export const OUTER = { docker: 'bridge', podman: 'podman' } as const;

/** Carries connections, and knows nothing of what they carry. */
const FORWARDER = `const net = require('node:net');
const [address, port, host, to] = process.argv.slice(1);
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ host, port: Number(to), allowHalfOpen: true });
  for (const [one, other] of [[near, far], [far, near]]) one.on('error', () => other.destroy()).pipe(other);
});
server.maxConnections = 256;
server.listen(Number(port), address, () => console.log('ready'));`;

/** What a network is made for: a run, or a trial. */
export interface PlaneOwner {
  /** Of the network, and of the container that leads out of it. */
  name: string;
  labels: Record<string, string>;
}

export function ownerOfRun(runId: string, deployment: string): PlaneOwner {
  const own = { [LABELS.run]: runId, [LABELS.phase]: PLANE_PHASE };
  return { name: `service-net-${runId}`, labels: { ...own, [LABELS.managed]: '1', [LABELS.deployment]: deployment } };
}

/** Where a sandbox finds the plane. */
export interface OpenPlane {
  network: ContainerNetwork;
  address: string;
  port: number;
}

export interface PlaneNetworkOptions {
  engine: Engine;
  dataDir: string;
  image: string;
  engineRuntime: string | null;
  plane: PlaneAccess;
}

/**
 * Networks of engines whose containers cannot reach a socket of this host: each has a sandbox and a forwarder, which listens on
 * one port and leads to the API's listener and nowhere else. This host has no address there.
 */
export class PlaneNetworks {
  private readonly networks: EngineNetworks;

  constructor(private readonly on: PlaneNetworkOptions) {
    this.networks = new EngineNetworks(on.engine.socketPath);
  }

  /** Makes both anew. @param runtime the folder of the runtime, whose Node forwards */
  async open(owner: PlaneOwner, runtime: string): Promise<OpenPlane> {
    await this.close(owner);
    const flavour = await this.on.engine.flavour();
    await this.networks.create({ ...owner, flavour });
    const [inner, outer] = await Promise.all([
      this.networks.inspect(owner.name),
      this.networks.inspect(OUTER[flavour]),
    ]);
    if (inner?.subnet == null || outer?.gateway == null)
      throw new SandgateError('sandbox_failed', 'the container engine gives its networks no addresses');
    // The first one would be that of this host.
    const address = addressIn(inner.subnet, 2);
    await this.startForwarder(owner, { runtime, flavour, address, gateway: outer.gateway, outer: outer.name });
    // Nobody answers questions about names there.
    return { network: { name: owner.name, dns: address }, address, port: PLANE_PORT };
  }

  /** Those of the runs of a deployment. An engine that need not have networks is not asked. */
  list(deployment: string): Promise<EngineNetwork[]> {
    return this.isUsed ? this.networks.list(`${LABELS.deployment}=${deployment}`) : Promise.resolve([]);
  }

  /** Removes both; what is another's is left. */
  async close({ name, labels }: PlaneOwner): Promise<void> {
    const isOurs = (found: { labels: Record<string, string> } | null): boolean =>
      found !== null && Object.entries(labels).every(([label, value]) => found.labels[label] === value);
    const forwarder = await this.on.engine.inspect(name);
    if (isOurs(forwarder)) await this.on.engine.remove(name);
    if (!this.isUsed && forwarder === null) return;
    if (isOurs(await this.networks.inspect(name))) await this.networks.remove(name);
  }

  private get isUsed(): boolean {
    return this.on.plane.way === 'network';
  }

  private async startForwarder(
    { name, labels }: PlaneOwner,
    at: { runtime: string; flavour: EngineFlavour; address: string; gateway: string; outer: string },
  ): Promise<void> {
    const { engine, image, plane, dataDir, engineRuntime: runtime } = this.on;
    const { flavour } = at;
    const { host, port } = plane.listener;
    const target = host === '0.0.0.0' || host === '::' ? at.gateway : host;
    const argv = [at.address, PLANE_PORT, target, port].map(String);
    const body = containerBody({
      ...{ image, flavour, runtime, labels, uid: NOBODY, ownUid: false },
      ...{ sizes: FORWARDER_SIZES, fileBytes: null, seccomp: await seccompOption(flavour, dataDir) },
      network: { name, dns: at.address, address: at.address },
      mounts: [{ source: at.runtime, target: INSIDE.runtime, readOnly: true }],
      program: [`${INSIDE.runtime}/node/bin/node`, '-e', FORWARDER, ...argv],
    });
    const id = await engine.create(name, body);
    await this.networks.connect(at.outer, id);
    await engine.start(id);
    await this.awaitReady(id);
  }

  private async awaitReady(id: string): Promise<void> {
    for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await sleep(READY_POLL_MS)) {
      // What has ended before its log is read has said everything.
      const found = await this.on.engine.inspect(id);
      const log = await this.on.engine.readLog(id);
      const said = log === null ? '' : readFrames(log).output.toString('utf8');
      if (said.startsWith('ready\n')) return;
      if (found?.running !== true) throw new SandgateError('sandbox_failed', `the way to the plane ended: ${said}`);
    }
    throw new SandgateError('sandbox_failed', 'the way to the plane was not ready in time');
  }
}

/** An address of a block of IPv4, counted from zero; of a small number, since nothing is carried over into the other parts. */
export function addressIn(subnet: string, number: number): string {
  const [base = ''] = subnet.split('/');
  const parts = base.split('.').map(Number);
  return [...parts.slice(0, 3), (parts[3] ?? 0) + number].join('.');
}

/** Why sandboxes on networks of their own could not reach the API; null where they can. */
export function listenerProblem({ listener }: PlaneAccess): string | null {
  if (!isLoopbackHost(listener.host)) return null;
  return 'sandboxes with a network of their own need a listener that they can reach: set SERVICE_INTERNAL_BIND=0.0.0.0:8788 for the runner plane alone, or SERVICE_BIND=0.0.0.0:8787';
}
