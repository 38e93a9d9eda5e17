import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives to whoever names none: until it is used, a free port goes to no connection of somebody else. */
const [FIRST, END] = [10_000, 32_768];
const MAX_TRIES = 200;

/** Ports of loopback that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries === MAX_TRIES) throw new Error(`of ${MAX_TRIES} ports ${ports.size} are free, ${count} are needed`);
    const port = randomInt(FIRST, END);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') return false;
    throw cause;
  }
  await once(server.close(), 'close');
  return true;
}
