import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { SandgateError } from '../../domain/errors.js';
import { readProviders } from '../../core/hosts/hosts.js';
import { Database } from '../../core/record/database.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import type { Health, Readiness } from './health.dto.js';

/** Longest wait for the database's answer, in milliseconds: a probe must say no before its own caller gives up. */
const READY_WITHIN_MS = 2000;
/** A sandbox host that was not seen for this long does not count. */
const HOST_SEEN_WITHIN_SECS = 60;

/** Liveness and readiness (docs/design/api-conventions.md). */
@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly logger: PinoLogger,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  /** @throws SandgateError `unavailable` once the process began to stop, so that balancers turn away first. */
  alive(): Health {
    if (this.stopping) throw new SandgateError('unavailable', 'the process is stopping');
    return { status: 'ok' };
  }

  /** A missing sandbox host is reported and does not make the process unready: reads and decisions go on without one. */
  async ready(): Promise<Readiness> {
    this.alive();
    const answer = await this.askDatabase();
    if (answer === null) throw new SandgateError('unavailable', 'the database is unreachable');
    const provider = answer.provider ?? this.config.sandbox.provider;
    return { status: 'ready', db: true, provider, provider_ok: answer.provider !== null };
  }

  private async askDatabase(): Promise<{ provider: string | null } | null> {
    const question = readProviders(this.database.pool, HOST_SEEN_WITHIN_SECS).then(
      (provider) => ({ provider }),
      (error: unknown) => {
        this.logger.warn({ err: error }, 'the database did not answer the readiness probe');
        return null;
      },
    );
    const { promise: tooLate, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), READY_WITHIN_MS);
    try {
      return await Promise.race([question, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }
}
