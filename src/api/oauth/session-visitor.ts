import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { useWebSession } from '../../core/identity/web-sessions.js';
import { Database } from '../../core/record/database.js';
import { readWebCookie } from '../auth/web-cookie.js';
import { ApiConfig } from '../foundation/foundation.module.js';

/** Who sits before a page that a link opens and no guard stands before. */
@Injectable()
export class SessionVisitor {
  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
  ) {}

  /** The user whose live session the browser has; null without one, and with several, of which nobody knows which is meant. */
  async userIdOf({ headers }: FastifyRequest): Promise<string | null> {
    const token = readWebCookie(headers.cookie);
    if (token === null) return null;
    const windows = { idleSecs: this.config.auth.sessionIdleSecs };
    return (await useWebSession(this.database.pool, token, windows))?.userId ?? null;
  }
}
