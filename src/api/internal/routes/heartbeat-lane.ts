import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../../../core/record/database.js';
import { recordHeartbeat } from '../../../core/runs/heartbeats.js';
import { ApiConfig } from '../../foundation/foundation.module.js';

/** Connections of its own, so that no queue of other work makes a live runner look dead. */
const LANE_CONNECTIONS = 2;

/** The database lane of the heartbeats (docs/design/runner.md). */
@Injectable()
export class HeartbeatLane implements OnApplicationShutdown {
  private opening: Promise<Database> | null = null;

  constructor(
    private readonly main: Database,
    private readonly config: ApiConfig,
  ) {}

  /** Records that the runner is alive; the status of the run, or null when there is none. */
  async beat(organizationId: string, runId: string): Promise<string | null> {
    const { pool } = await this.lane();
    return recordHeartbeat(pool, organizationId, runId);
  }

  async onApplicationShutdown(): Promise<void> {
    const opened = await this.opening;
    await opened?.close();
  }

  private async lane(): Promise<Database> {
    const { url } = this.config.database;
    if (url === null) return this.main;
    this.opening ??= Database.connect({ url, poolSize: LANE_CONNECTIONS, applicationName: 'sandgate-heartbeats' });
    try {
      return await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }
}
