import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { ensureHostId } from '../../../platform/config/host-id.js';
import { Database } from '../../../core/record/database.js';
import { closeProcessLease, openProcessLease, renewProcessLease } from '../../../core/budgets/process-leases.js';
import { ApiConfig } from '../../foundation/foundation.module.js';

/** Renewals per life of the lease, so that two may fail. */
const RENEWALS = 3;

/**
 * The lease that this process's reservations name, and its counts of tunnels: when the process dies, they are settled for it
 * (docs/design/budgets.md, docs/design/tunnels.md).
 */
@Injectable()
export class ProcessLease implements OnApplicationShutdown {
  private opening: Promise<string> | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly logger: PinoLogger,
  ) {}

  /** Id of a live lease, opened on first use. */
  async id(): Promise<string> {
    this.opening ??= this.open();
    try {
      return await this.opening;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    const opening = this.opening;
    if (opening !== null) await closeProcessLease(this.database.pool, await opening);
  }

  private async open(): Promise<string> {
    const id = await openProcessLease(this.database.pool, { kind: 'api', hostId: ensureHostId(this.config) });
    this.timer ??= setInterval(() => this.renew(), this.config.timing.processLeaseMs / RENEWALS).unref();
    return id;
  }

  private renew(): void {
    const renewing = this.opening?.then((id) => renewProcessLease(this.database.pool, id));
    renewing?.then(
      (kept) => {
        if (!kept) this.opening = null;
      },
      (error: unknown) => this.logger.warn({ err: error }, 'the process lease could not be renewed'),
    );
  }
}
