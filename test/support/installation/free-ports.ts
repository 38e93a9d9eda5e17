import { findFreePort, PORT_RANGE, type PortRange } from '../../../src/embedded/ports.js';

/** Workers of jest that have ports to themselves; a further one shares those of the first. */
const WORKERS = 8;

/**
 * Ports of loopback that nobody listens on at this moment. No other worker of jest is given one of them: what a suite starts binds its
 * port seconds after it was found.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await findFreePort(ports, ownRange()));
  return [...ports];
}

function ownRange(): PortRange {
  const [first, end] = PORT_RANGE;
  const each = Math.floor((end - first) / WORKERS);
  const own = first + each * (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS);
  return [own, own + each];
}
