import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameMember } from '../../core/identity/members.js';
import { useWebSession } from '../../core/identity/web-sessions.js';
import { Database } from '../../core/record/database.js';
import { readRedirectTarget } from '../../domain/identity/redirect-target.js';
import { Public } from '../auth/permission.decorator.js';
import { readWebCookie } from '../auth/web-cookie.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { sendPage } from '../pages/page-answer.js';
import { LoginErrorFilter } from './login-error.filter.js';
import { homePage, UNAVAILABLE } from './login-pages.js';

/** Where people arrive: after signing in without having been anywhere, and where nobody can sign in. */
@ApiExcludeController()
@UseFilters(LoginErrorFilter)
@Controller()
export class EntryController {
  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
  ) {}

  @Get()
  @Public('says whether the browser is signed in, and to whom')
  async home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const token = readWebCookie(request.headers.cookie);
    const windows = { idleSecs: this.config.auth.sessionIdleSecs };
    const held = token === null ? null : await useWebSession(this.database.pool, token, windows);
    const member =
      held === null ? null : await this.database.withTenant(held.organizationId, (tx) => nameMember(tx, held.userId));
    sendPage(request, reply, homePage(member));
  }

  @Get('login')
  @Public('nobody is signed in yet')
  login(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('error') error?: unknown,
    @Query('next') next?: unknown,
  ): void {
    if (error === 'unavailable') return sendPage(request, reply, UNAVAILABLE);
    const target = typeof next === 'string' ? readRedirectTarget(next) : null;
    const query = target === null ? '' : `?redirect_to=${encodeURIComponent(target)}`;
    void reply.status(302).header('referrer-policy', 'no-referrer').header('location', `/v1/auth/login${query}`).send();
  }
}
