import { SandgateError } from '../../../domain/errors.js';
import { pathExists } from '../../host/path-exists.js';
import { Engine } from '../docker/engine.js';
import type { PlaneAccess } from '../docker/plane-network.js';

/** The members of the configuration that name an engine and what runs on it. */
export interface EngineConfig {
  readonly dockerHost: string | null;
  readonly dockerRuntime: string | null;
  readonly dockerPlane: PlaneAccess['way'];
  readonly image: string;
}

/** Where the API listens. */
export interface ListenerConfig {
  readonly bind: PlaneAccess['listener'];
  readonly internalBind: PlaneAccess['listener'] | null;
}

/** How sandboxes of an engine shall reach the API; its own listener for the runner plane comes first. */
export function planeAccess({ dockerPlane: way }: EngineConfig, { bind, internalBind }: ListenerConfig): PlaneAccess {
  return { way, listener: internalBind ?? bind };
}

const USUAL_SOCKETS = ['/var/run/docker.sock', '/run/podman/podman.sock'];

/** The container engine of this host, not yet asked anything. @throws SandgateError `unavailable` where none is found */
export async function openEngine(config: EngineConfig): Promise<Engine> {
  const socket = config.dockerHost ?? (await findSocket());
  if (socket === null)
    throw new SandgateError('unavailable', `no container engine was found at ${USUAL_SOCKETS.join(' or ')}`);
  return Engine.open(socket);
}

async function findSocket(): Promise<string | null> {
  for (const path of USUAL_SOCKETS) if (await pathExists(path)) return path;
  return null;
}
