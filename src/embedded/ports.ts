import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isSystemError } from '../domain/system-error.js';

export interface Ports {
  api: number;
  temporal: number;
  temporalWeb: number;
}

/** Ports that are tried first, so that a machine with one installation has the addresses that the documentation names. */
const USUAL: Ports = { api: 8787, temporal: 7233, temporalWeb: 8233 };

/** Free loopback ports, the same ones at every start for as long as nobody else takes them. */
export async function choosePorts(path: string): Promise<Ports> {
  const remembered = readRemembered(path);
  const taken = new Set<number>();
  const choose = async (name: keyof Ports): Promise<number> => {
    const port = await firstFree([remembered[name], USUAL[name]], taken);
    taken.add(port);
    return port;
  };
  const ports = {
    api: await choose('api'),
    temporal: await choose('temporal'),
    temporalWeb: await choose('temporalWeb'),
  };
  writeFileSync(path, `${JSON.stringify(ports)}\n`, { mode: 0o600 });
  return ports;
}

function readRemembered(path: string): Partial<Ports> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Ports>;
  } catch (error) {
    if (error instanceof SyntaxError || isSystemError(error, 'ENOENT')) return {};
    throw error;
  }
}

async function firstFree(candidates: (number | undefined)[], taken: Set<number>): Promise<number> {
  for (const port of candidates) {
    if (port !== undefined && !taken.has(port) && (await tryPort(port)) !== undefined) return port;
  }
  const port = await tryPort(0);
  if (port === undefined) throw new Error('no free TCP port on 127.0.0.1');
  return port;
}

/** The port that was bound for a moment, or undefined when somebody else has it. */
export function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });
}
