import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isSystemError } from '../domain/system-error.js';

/** An abstract socket: one listener per network namespace, which is what ports are shared in, and gone with its process. */
const LOCK = '\0sandgate-start';
const LONGEST_WAIT_MS = 60_000;
const PAUSE_MS = 50;

/**
 * Lets installations on one machine choose and bind their ports one after the other: a port is free when it is chosen, and a part
 * binds it seconds later, when another start may have chosen it too and would take the other's server for its own.
 */
export class StartLock implements Disposable {
  private constructor(private readonly server: Server | undefined) {}

  /** Proceeds without the lock after a minute, and where there are no abstract sockets. */
  static async take(signal?: AbortSignal): Promise<StartLock> {
    const deadline = Date.now() + LONGEST_WAIT_MS;
    for (;;) {
      const server = await listen();
      if (server !== 'taken') return new StartLock(server);
      if (Date.now() > deadline) return new StartLock(undefined);
      await delay(PAUSE_MS, undefined, { signal });
    }
  }

  [Symbol.dispose](): void {
    this.server?.close();
  }
}

function listen(): Promise<Server | undefined | 'taken'> {
  return new Promise((resolve) => {
    const server = createServer((connection) => connection.destroy());
    server.once('error', (error) => resolve(isSystemError(error, 'EADDRINUSE') ? 'taken' : undefined));
    server.listen(LOCK, () => resolve(server));
  });
}
