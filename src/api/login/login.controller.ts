import { Controller, Get, Param, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSlug } from '../../core/organizations/organizations.js';
import { FinishLogin, type LoginOutcome } from '../../core/identity/sign-in/finish-login.js';
import { StartLogin } from '../../core/identity/sign-in/start-login.js';
import { readRedirectTarget } from '../../domain/identity/redirect-target.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { clientAddress } from '../http/client-address.js';
import { NotByHead } from '../http/not-by-head.js';
import { redirectTo, sendPage } from '../pages/page-answer.js';
import { Public } from '../auth/permission.decorator.js';
import { clearStepCookie, readStepCookie, setStepCookie } from './login-cookies.js';
import { NOT_CONFIGURED, NOT_CONFIGURED_LOCATION, organizationPage, refusalPage, switchPage } from './login-pages.js';
import { readWebCookie, webCookie } from '../auth/web-cookie.js';
import { LoginErrorFilter } from './login-error.filter.js';
import { queryOf, visitOf } from './login-request.js';

/** Signing in, for a person's browser (CP-266). */
@ApiExcludeController()
@UseFilters(LoginErrorFilter)
@Controller('v1/auth')
export class LoginController {
  constructor(
    private readonly starts: StartLogin,
    private readonly ends: FinishLogin,
    private readonly config: ApiConfig,
  ) {}

  @Get('login')
  @Public('nobody is signed in yet')
  askForOrganization(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('org') given?: unknown,
    @Query('redirect_to') redirect?: unknown,
  ): void {
    const org = typeof given === 'string' ? given.trim() : '';
    const target = typeof redirect === 'string' ? readRedirectTarget(redirect) : null;
    if (isSlug(org)) {
      const query = target === null || target === '/' ? '' : `?redirect_to=${encodeURIComponent(target)}`;
      redirectTo(reply, `/v1/auth/login/${org}/start${query}`);
      return;
    }
    const overHttps = this.config.http.publicUrl?.startsWith('https:') === true;
    sendPage(request, reply, organizationPage({ org, redirectTo: target, overHttps }));
  }

  @Get('login/:slug/start')
  @NotByHead()
  @Public('nobody is signed in yet')
  async start(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('slug') slug: string,
    @Query('redirect_to') redirect?: unknown,
  ): Promise<void> {
    const sourceIp = clientAddress(request);
    const started = await this.starts.start({ slug, redirectTo: redirect ?? '', sourceIp });
    if (started === null) {
      void reply.header('location', NOT_CONFIGURED_LOCATION);
      sendPage(request, reply, NOT_CONFIGURED);
      return;
    }
    void reply.header('set-cookie', setStepCookie('login', started.flowId, started.cookie));
    redirectTo(reply, started.location);
  }

  @Get('callback')
  @NotByHead()
  @Public('the state and the cookie of the login are the credential')
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { cookie } = request.headers;
    const outcome = await this.ends.complete({
      parameters: queryOf(request),
      loginCookie: (flowId) => readStepCookie(cookie, 'login', flowId),
      webToken: readWebCookie(cookie),
      ...visitOf(request),
    });
    this.answer(request, reply, outcome);
  }

  private answer(request: FastifyRequest, reply: FastifyReply, outcome: LoginOutcome): void {
    if ('refusal' in outcome) {
      const { endedFlow } = outcome;
      if (endedFlow !== undefined) void reply.header('set-cookie', clearStepCookie('login', endedFlow));
      sendPage(request, reply, refusalPage(outcome.refusal, outcome.said));
      return;
    }
    const over = clearStepCookie('login', outcome.flowId);
    if ('pending' in outcome) {
      const { pending, from } = outcome;
      void reply.header('set-cookie', [over, setStepCookie('switch', pending.id, pending.cookie)]);
      sendPage(request, reply, switchPage(pending, from));
      return;
    }
    void reply.header('set-cookie', [over, webCookie(outcome.token, this.config.auth.sessionAbsoluteSecs)]);
    redirectTo(reply, outcome.redirectTo);
  }
}
