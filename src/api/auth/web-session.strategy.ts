import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { sessionsInUse, type LiveSession } from '../../core/identity/web-sessions.js';
import { Database } from '../../core/record/database.js';
import type { Lookup } from '../../core/record/shared-lookups.js';
import { AuthTerms } from './auth-terms.js';
import { CredentialStrategy } from './credential.strategy.js';
import { readCredentials } from './credentials.js';
import { refuseCrossSite } from './cross-site.js';
import { memberPrincipal, type UserPrincipal } from './principal.js';

/** A browser session, by its cookie. */
@Injectable()
export class WebSessionStrategy extends CredentialStrategy<UserPrincipal> {
  private readonly sessionOf: Lookup<LiveSession>;

  constructor(
    { pool }: Database,
    private readonly terms: AuthTerms,
  ) {
    super();
    this.sessionOf = sessionsInUse(pool, { idleSecs: terms.sessionIdleSecs });
  }

  override async find(request: FastifyRequest): Promise<UserPrincipal | null> {
    const { cookie } = readCredentials(request.headers);
    if (cookie === null) return null;
    // Before the session is looked up: a refused request must not count as a use of it.
    refuseCrossSite(request, this.terms.publicOrigin);
    const found = await this.sessionOf(cookie);
    return found === null ? null : memberPrincipal(found, { authKind: 'browser', sessionId: found.sessionId });
  }
}
