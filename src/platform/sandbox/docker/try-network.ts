import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../host/remove-tree.js';
import { LABELS } from './container-spec.js';
import type { EngineFlavour } from './engine.js';
import { EngineNetworks } from './networks.js';
import { addressIn, OUTER, PlaneNetworks } from './plane-network.js';
import { isLeftBehind, shortLived } from './short-lived.js';
import { tryContainer, type CheckedEngine } from './try-container.js';

/**
 * Runs the trial's program in a container on a network that leads to one port of this process. What else of this host can be heard
 * from there is in what it prints.
 */
export async function tryNetwork(checked: CheckedEngine, flavour: EngineFlavour): Promise<string> {
  const word = randomUUID();
  const networks = new EngineNetworks(checked.engine.socketPath);
  await removeEarlier(networks, checked.deployment);
  const owner = { name: `service-trial-${word}`, labels: shortLived(checked.deployment) };
  const server = await listen(word);
  const runtime = join(checked.dataDir, `.network-trial-${word}`);
  const hostPort = (server.address() as AddressInfo).port;
  const planes = new PlaneNetworks({
    ...checked,
    plane: { way: 'network', listener: { host: '0.0.0.0', port: hostPort } },
  });
  try {
    await placeNode(runtime);
    const open = await planes.open(owner, runtime);
    const hostAddresses = await addressesOfHost(networks, owner.name, flavour);
    return await tryContainer(checked, flavour, { open, word, hostPort, hostAddresses });
  } finally {
    await planes.close(owner);
    server.close();
    await removeTree(runtime);
  }
}

/** Where this host would be on the network, on that of other containers, and on its own. */
async function addressesOfHost(networks: EngineNetworks, name: string, flavour: EngineFlavour): Promise<string[]> {
  const [inner, outer] = await Promise.all([networks.inspect(name), networks.inspect(OUTER[flavour])]);
  const own = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  const subnet = inner?.subnet ?? null;
  return [...new Set([subnet === null ? null : addressIn(subnet, 1), inner?.gateway, outer?.gateway, ...own])].filter(
    (address) => typeof address === 'string',
  );
}

/** Of a process that ended in the middle of a trial; its containers are removed with those of other trials. */
async function removeEarlier(networks: EngineNetworks, deployment: string): Promise<void> {
  const found = await networks.list(`${LABELS.trial}=${deployment}`);
  for (const { name } of found.filter(({ labels }) => isLeftBehind(labels))) await networks.remove(name);
}

/** On every address, as the API is where somebody wants it to be reached. */
async function listen(word: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).end(word));
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return server;
}

/** The runtime is not staged for whoever only asks. */
async function placeNode(runtime: string): Promise<void> {
  const folder = join(runtime, 'node', 'bin');
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const path of [runtime, join(runtime, 'node'), folder]) await chmod(path, 0o755);
  await copyFile(process.execPath, join(folder, 'node'), constants.COPYFILE_FICLONE);
  await chmod(join(folder, 'node'), 0o755);
}
