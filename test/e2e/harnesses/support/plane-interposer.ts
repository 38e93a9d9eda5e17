import { chmodSync, existsSync, renameSync } from 'node:fs';
import net from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { planeDirectory } from '../../../../src/platform/host/plane-socket-path.js';

/** Takes the place of a run's plane socket from its start, passes bytes on, and can cut every connection without killing a process. */
export class PlaneInterposer {
  readonly #open = new Set<net.Socket>();

  private constructor(
    private readonly server: net.Server,
    behind: string,
  ) {
    server.on('connection', (client) => {
      const plane = net.connect(behind);
      for (const socket of [client, plane]) {
        this.#open.add(socket);
        socket.on('close', () => {
          this.#open.delete(socket);
          client.destroy();
          plane.destroy();
        });
        socket.on('error', () => socket.destroy());
      }
      client.pipe(plane).pipe(client);
    });
  }

  /** Takes the place of the socket as soon as it is there, which is before the runner of the run is started. */
  static async place(dataDir: string, runId: string): Promise<PlaneInterposer> {
    const socket = join(planeDirectory(dataDir, runId), 'plane.sock');
    const behind = join(planeDirectory(dataDir, runId), 'behind.sock');
    for (const deadline = Date.now() + 60_000; !existsSync(socket); await delay(2)) {
      if (Date.now() > deadline) throw new Error(`run ${runId} has no plane socket`);
    }
    renameSync(socket, behind);
    const server = net.createServer({ allowHalfOpen: false }).listen(socket);
    const interposer = new PlaneInterposer(server, behind);
    await once(server, 'listening');
    chmodSync(socket, 0o666);
    return interposer;
  }

  /** Breaks every connection; those made afterwards are carried. @returns how many there were */
  cut(): number {
    const open = [...this.#open];
    for (const socket of open) socket.destroy();
    return open.length;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}
