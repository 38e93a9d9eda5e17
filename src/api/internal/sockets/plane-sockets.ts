import { randomUUID } from 'node:crypto';
import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { chmod, readdir, rename } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { isSystemError } from '../../../domain/system-error.js';
import { ensureHostId } from '../../../platform/config/host-id.js';
import { Database } from '../../../core/record/database.js';
import { listHostRuns } from '../../../core/maintenance/sweeps.js';
import {
  bindingAddress,
  makePlaneDirectory,
  makePlaneRoot,
  removePlaneRoot,
  PLANE_SOCKET_NAME,
  planeDirectory,
  planeRoot,
} from '../../../platform/host/plane-socket-path.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';
import { asksForTunnel, TunnelDoor } from '../tunnel/tunnel-door.js';
import { createPlaneServer } from './plane-server.js';
import { isRowId } from '../../../domain/uuid.js';

/** How often the directories are looked at where the system offers no notification for them. */
const RESCAN_MS = 250;

/**
 * Listens on `plane.sock` in the plane directory of every run of this host. A directory that appears is a run
 * that is being provisioned: its socket accepts before the provisioning returns, because that waits for it. At boot the
 * sockets of all live runs are made anew; a socket takes its place by renaming, so a runner never meets half of one.
 */
@Injectable()
export class PlaneSockets implements OnApplicationShutdown {
  private readonly servers = new Map<string, Server>();
  private handle: RequestListener | null = null;
  private watcher: FSWatcher | null = null;
  private rescan: NodeJS.Timeout | null = null;
  private scanning: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly config: ApiConfig,
    private readonly database: Database,
    private readonly limits: RunLimits,
    private readonly breaches: LimitBreaches,
    private readonly tunnels: TunnelDoor,
    private readonly logger: PinoLogger,
  ) {}

  /** Opens the sockets of the live runs of this host and follows the directories from then on. */
  async start(handle: RequestListener): Promise<void> {
    this.handle = handle;
    const root = await makePlaneRoot(this.config.data.dir);
    const live = await listHostRuns(this.database.pool, ensureHostId(this.config));
    for (const run of live) await makePlaneDirectory(this.config.data.dir, run.runId);
    this.follow(root);
    await this.scan();
  }

  /** Listens for one run now; the directory is made when it is missing. */
  async open(runId: string): Promise<void> {
    await makePlaneDirectory(this.config.data.dir, runId);
    await this.scan();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.watcher?.close();
    if (this.rescan !== null) clearInterval(this.rescan);
    await this.scanning;
    for (const server of this.servers.values()) {
      server.close();
      server.closeAllConnections();
    }
    this.servers.clear();
    await removePlaneRoot(this.config.data.dir);
  }

  private follow(root: string): void {
    const look = (): void => {
      this.scan().catch((error: unknown) => this.logger.error({ err: error }, 'plane sockets could not be scanned'));
    };
    try {
      this.watcher = watch(root, look);
      this.watcher.on('error', (error) => {
        this.logger.warn({ err: error }, 'plane directories are no longer watched; polling them instead');
        this.rescan ??= setInterval(look, RESCAN_MS).unref();
      });
    } catch (error) {
      this.logger.warn({ err: error }, 'plane directories cannot be watched; polling them instead');
      this.rescan = setInterval(look, RESCAN_MS).unref();
    }
  }

  /** One scan at a time, and another one after it for what changed meanwhile. */
  private scan(): Promise<void> {
    const next = this.scanning.then(() => this.reconcile());
    this.scanning = next.catch(() => undefined);
    return next;
  }

  private async reconcile(): Promise<void> {
    if (this.closed) return;
    const entries = await readdir(planeRoot(this.config.data.dir), { withFileTypes: true });
    const present = new Set(
      entries.filter((entry) => entry.isDirectory() && isRowId(entry.name)).map((entry) => entry.name),
    );
    for (const [runId, server] of this.servers) {
      if (present.has(runId)) continue;
      this.servers.delete(runId);
      server.close();
      server.closeAllConnections();
    }
    for (const runId of present) {
      if (!this.servers.has(runId)) await this.listen(runId);
    }
  }

  private async listen(runId: string): Promise<void> {
    const { handle } = this;
    if (handle === null) return;
    const { limits } = this.config;
    const server = createPlaneServer({
      runId,
      headerBytes: limits.headerBytes,
      headerTimeoutMs: limits.headerTimeoutMs,
      enter: () => this.limits.enter(runId, 'connections', limits.connections),
      breached: (limit) => this.breaches.note(runId, limit),
      handle,
      mayUpgrade: asksForTunnel,
      upgrade: (request, socket, head) => this.tunnels.take(request, socket, head),
    });
    try {
      await bindSocket(server, planeDirectory(this.config.data.dir, runId));
      this.servers.set(runId, server);
    } catch (error) {
      server.close();
      // The run may have ended and its directory gone between the scan and here.
      if (!isSystemError(error, 'ENOENT')) throw error;
    }
  }
}

/** Binds under a temporary name and renames; the mode lets the run's own uid connect, the data folder keeps others out. */
async function bindSocket(server: Server, directory: string): Promise<void> {
  const draft = join(directory, `.${randomUUID().slice(0, 8)}`);
  const address = await bindingAddress(draft);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.path, resolve);
    });
  } finally {
    await address.release();
  }
  await chmod(draft, 0o666);
  await rename(draft, join(directory, PLANE_SOCKET_NAME));
}
