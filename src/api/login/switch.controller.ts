import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LoginSwitches } from '../../core/identity/sign-in/login-switches.js';
import { pathId } from '../../domain/resource-id.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { redirectTo, sendPage } from '../pages/page-answer.js';
import { BrowserSession } from '../auth/permission.decorator.js';
import { CurrentBrowser, type BrowserPrincipal } from '../auth/principal.js';
import { clearStepCookie, readStepCookie } from './login-cookies.js';
import { SWITCH_REFUSED } from './login-pages.js';
import { webCookie } from '../auth/web-cookie.js';
import { visitOf } from './login-request.js';

/** Replacing the session of a browser by that of another account, once its person confirmed it. The script of a page of ours asks. */
@ApiExcludeController()
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
    @CurrentBrowser() { sessionId }: BrowserPrincipal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') given: string,
  ): Promise<void> {
    const id = pathId(given, 'switch');
    const over = clearStepCookie('switch', id);
    const made = await this.switches.confirm({
      switchId: id,
      cookie: readStepCookie(request.headers.cookie, 'switch', id),
      sessionId,
      visit: visitOf(request),
    });
    if (made === null) {
      void reply.header('set-cookie', over);
      sendPage(request, reply, SWITCH_REFUSED);
      return;
    }
    void reply.header('set-cookie', [over, webCookie(made.token, this.config.auth.sessionAbsoluteSecs)]);
    redirectTo(reply, made.redirectTo);
  }
}
