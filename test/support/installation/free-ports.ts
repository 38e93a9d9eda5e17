import { findFreePort } from '../../../src/embedded/ports.js';

/** Ports of loopback that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await findFreePort(ports));
  return [...ports];
}
