import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isSystemError } from '../domain/system-error.js';

export interface TemporalPorts {
  temporal: number;
  temporalWeb: number;
}

export interface Ports extends TemporalPorts {
  api: number;
  /** Of the documents service, where it is started too. */
  documents?: number;
}

/** Ports that are tried first, so that a machine with one installation has the addresses that the documentation names. */
export const USUAL_PORTS: Ports = { api: 8787, temporal: 7233, temporalWeb: 8233 };
export const USUAL_PORTS_WITH_DOCUMENTS: Ports = { ...USUAL_PORTS, documents: 8790 };

/** The first port, and the one behind the last. */
export type PortRange = readonly [first: number, end: number];

/** Below those that Linux gives to connections, one of which could take a port between the moment that it is chosen and its use. */
export const PORT_RANGE: PortRange = [10_000, 32_768];
const MAX_TRIES = 200;

/**
 * Free loopback ports, the same ones at every start for as long as nobody else takes them.
 *
 * @param path the file in which they are remembered
 * @param usual those that are wanted, and what is tried first for each
 */
export function choosePorts(path: string): Promise<Ports>;
export function choosePorts<P extends object>(path: string, usual: P): Promise<P>;
export async function choosePorts(path: string, usual: object = USUAL_PORTS): Promise<object> {
  const remembered = readRemembered(path);
  const ports = new Map<string, number>();
  for (const [name, first] of Object.entries(usual) as [string, number][]) {
    ports.set(name, await firstFree([remembered[name], first], new Set(ports.values())));
  }
  const chosen = Object.fromEntries(ports);
  writeFileSync(path, `${JSON.stringify(chosen)}\n`, { mode: 0o600 });
  return chosen;
}

function readRemembered(path: string): Partial<Record<string, number>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<string, number>>;
  } catch (error) {
    if (error instanceof SyntaxError || isSystemError(error, 'ENOENT')) return {};
    throw error;
  }
}

async function firstFree(candidates: (number | undefined)[], taken: Set<number>): Promise<number> {
  for (const port of candidates) {
    if (port !== undefined && !taken.has(port) && (await tryPort(port)) !== undefined) return port;
  }
  return findFreePort(taken);
}

/** A free loopback port at random, none of those taken. */
export async function findFreePort(taken: ReadonlySet<number>, [first, end] = PORT_RANGE): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(first, end);
    if (!taken.has(port) && (await tryPort(port)) !== undefined) return port;
  }
  throw new Error(`no free TCP port on 127.0.0.1: ${MAX_TRIES} between ${first} and ${end} were tried`);
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
