import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { findWebSession, type SessionWindows } from '../../core/identity/web-sessions.js';
import { Database } from '../../core/record/database.js';
import { publicUrl } from '../../platform/config/index.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { CredentialStrategy } from './credential.strategy.js';
import { readCredentials } from './credentials.js';
import { originOf, refuseCrossSite } from './cross-site.js';
import { memberPrincipal, type UserPrincipal } from './principal.js';

/** A browser session, by its cookie. */
@Injectable()
export class WebSessionStrategy extends CredentialStrategy<UserPrincipal> {
  private readonly publicOrigin: string;
  private readonly windows: Pick<SessionWindows, 'idleSecs'>;

  constructor(
    private readonly database: Database,
    { http, auth }: ApiConfig,
  ) {
    super();
    const address = publicUrl(http);
    const origin = originOf(address);
    if (origin === null) throw new Error(`SERVICE_PUBLIC_URL has no origin: ${address}`);
    this.publicOrigin = origin;
    this.windows = { idleSecs: auth.sessionIdleSecs };
  }

  override async find(request: FastifyRequest): Promise<UserPrincipal | null> {
    const { cookie } = readCredentials(request.headers);
    if (cookie === null) return null;
    // Before the session is looked up: a refused request must not count as a use of it.
    refuseCrossSite(request, this.publicOrigin);
    const found = await findWebSession(this.database.pool, cookie, this.windows, true);
    return found === null ? null : memberPrincipal(found, { authKind: 'browser', sessionId: found.sessionId });
  }
}
