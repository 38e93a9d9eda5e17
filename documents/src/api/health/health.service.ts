import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { askDatabase } from '../../core/record/ask-database.js';
import { Record } from '../../core/record/record.js';
import { DocsvcError } from '../../domain/errors.js';
import type { Health, Readiness } from './health.dto.js';

/** Longest wait for the database's answer: a probe must say no before its own caller gives up. */
const READY_WITHIN_MS = 2000;

/** Liveness and readiness. */
@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    private readonly record: Record,
    private readonly logger: PinoLogger,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  /** @throws DocsvcError `unavailable` once the process began to stop, so that balancers turn away first */
  alive(): Health {
    if (this.stopping) throw new DocsvcError('unavailable', 'the process is stopping');
    return { status: 'ok' };
  }

  /** @throws DocsvcError `unavailable` while the database does not answer */
  async ready(): Promise<Readiness> {
    this.alive();
    if (!(await this.databaseAnswers())) throw new DocsvcError('unavailable', 'the database is unreachable');
    return { status: 'ready', database: true };
  }

  private async databaseAnswers(): Promise<boolean> {
    const question = askDatabase(this.record).then(
      () => true,
      (error: unknown) => {
        this.logger.warn({ err: error }, 'the database did not answer the readiness probe');
        return false;
      },
    );
    const { promise: tooLate, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), READY_WITHIN_MS);
    try {
      return await Promise.race([question, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }
}
