import { Controller, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LoginSwitches } from '../../../core/identity/sign-in/login-switches.js';
import { SandgateError } from '../../../domain/errors.js';
import { pathId } from '../../../domain/resource-id.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { sendPage } from '../../pages/page-answer.js';
import { BrowserSession } from '../permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../principal.js';
import { clearStepCookie, readStepCookie, setWebCookie } from './login-cookies.js';
import { SWITCH_REFUSED } from './login-pages.js';
import { LoginErrorFilter } from './login-error.filter.js';
import { visitOf } from './login-request.js';

/** Replacing the session of a browser by that of another account, once its person confirmed it. */
@ApiExcludeController()
@UseFilters(LoginErrorFilter)
@Controller('v1/auth')
export class SwitchController {
  constructor(
    private readonly switches: LoginSwitches,
    private readonly config: ApiConfig,
  ) {}

  @Post('switch/:id')
  @HttpCode(302)
  @BrowserSession('account.read')
  async confirm(
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') given: string,
  ): Promise<void> {
    const id = pathId(given, 'switch');
    const over = clearStepCookie('switch', id);
    const made = await this.switches.confirm({
      switchId: id,
      cookie: readStepCookie(request.headers.cookie, 'switch', id),
      sessionId: sessionOf(principal),
      visit: visitOf(request),
    });
    if (made === null) {
      void reply.header('set-cookie', over);
      sendPage(request, reply, SWITCH_REFUSED);
      return;
    }
    void reply
      .status(302)
      .header('set-cookie', [over, setWebCookie(made.token, this.config.auth.sessionAbsoluteSecs)])
      .header('referrer-policy', 'no-referrer')
      .header('location', made.redirectTo)
      .send();
  }
}

/** The guard let nobody else in. */
function sessionOf(principal: Principal): string {
  if (principal.kind === 'user' && principal.authKind === 'browser') return principal.sessionId;
  throw new SandgateError('forbidden', 'this needs a browser session');
}
