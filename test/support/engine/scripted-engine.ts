import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Answers on the socket of an engine as a test says, for what no real engine can be made to do at a given moment. */
export class ScriptedEngine {
  private constructor(
    readonly folder: string,
    readonly socket: string,
    readonly server: Server,
  ) {}

  static async start(listener: RequestListener): Promise<ScriptedEngine> {
    const folder = mkdtempSync(join(tmpdir(), 'scripted-engine-'));
    const socket = join(folder, 'engine.sock');
    const server = createServer(listener).listen(socket);
    await once(server, 'listening');
    return new ScriptedEngine(folder, socket, server);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
