import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Things on the host that a probe tries to reach, and what to call them inside. */
export interface Recorders extends AsyncDisposable {
  env: Record<string, string>;
  /** Connections and messages that arrived. */
  hits(): number;
}

const HOST_FOLDERS = ['/var', '/var/lib', '/root', '/boot', '/srv'];
/** Of this process alone: another one on this machine may try the same. */
const SHM_KEY = 0x5300_0000 + (process.pid % 0x100_0000);

/** Listens on every kind of address of the host. `folder` holds the socket file, the marker and the scratch folder of controls. */
export async function openRecorders(folder: string, extra: Record<string, string>): Promise<Recorders> {
  let hits = 0;
  const servers: Server[] = [];
  const listen = async (...address: [number, string] | [string]): Promise<number> => {
    const server = createServer((socket) => {
      hits++;
      socket.end();
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      if (address.length === 2) server.listen(address[0], address[1], resolve);
      else server.listen(address[0], resolve);
    });
    servers.push(server);
    const bound = server.address() as AddressInfo | string;
    return typeof bound === 'string' ? 0 : bound.port;
  };
  const abstract = `sandgate-probe-${process.pid}`;
  const socketFile = join(folder, 'host.sock');
  const port = await listen(0, '0.0.0.0');
  const port6 = await listen(0, '::1').catch(() => 1);
  await listen(`\0${abstract}`);
  await listen(socketFile);
  chmodSync(socketFile, 0o777);
  const udp = createSocket('udp4');
  udp.on('message', (message, from) => {
    hits++;
    udp.send(message, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const marker = join(folder, 'marker');
  writeFileSync(marker, 'only on the host');
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch, { recursive: true });
  chmodSync(scratch, 0o777);
  const shm = createSegment();
  const env = {
    PROBE_TCP_PORT: String(port),
    PROBE_TCP6_PORT: String(port6),
    PROBE_UDP_PORT: String(udp.address().port),
    PROBE_ABSTRACT: abstract,
    PROBE_SOCKET: socketFile,
    PROBE_SHM_KEY: String(SHM_KEY),
    PROBE_HOSTNAME: hostname(),
    PROBE_HOST_PID: String(process.pid),
    PROBE_MARKER: marker,
    PROBE_FOLDERS: HOST_FOLDERS.map(identity).join(' '),
    ...extra,
  };
  return {
    env,
    hits: () => hits,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      await new Promise<void>((resolve) => udp.close(resolve));
      if (shm !== null) execFileSync('ipcrm', ['-m', shm]);
    },
  };
}

function identity(path: string): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${dev}:${ino}`;
}

/** A memory segment that everybody on the host may read; null where Perl is missing. */
function createSegment(): string | null {
  try {
    return execFileSync('/usr/bin/perl', ['-e', `print shmget(${SHM_KEY}, 64, 01000 | 0666)`], {
      encoding: 'utf8',
    }).trim();
  } catch {
    return null;
  }
}
