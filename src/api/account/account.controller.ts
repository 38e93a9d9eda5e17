import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { CurrentActor } from '../auth/current-actor.js';
import { BrowserSession, Permission } from '../auth/permission.decorator.js';
import { CurrentBrowser, CurrentPrincipal, type BrowserPrincipal, type Principal } from '../auth/principal.js';
import { CLEARED_WEB_COOKIE } from '../auth/web-cookie.js';
import { Failures } from '../openapi/answers.js';
import { OperatorAccount, UserAccount } from './account.dto.js';
import { AccountService } from './account.service.js';

/** Names the address of signing out at the provider. */
const END_SESSION = 'x-service-end-session';

@ApiTags('Account')
@Controller('v1/auth')
export class AccountController {
  constructor(private readonly account: AccountService) {}

  @Get('me')
  @Permission('account.read')
  @ApiOperation({ summary: 'Say who calls' })
  @ApiExtraModels(OperatorAccount, UserAccount)
  @ApiResponse({
    status: 200,
    description: 'The operator, or a person with the roles of this moment.',
    schema: { oneOf: [OperatorAccount, UserAccount].map((account) => ({ $ref: getSchemaPath(account) })) },
  })
  @Failures(400, 401, 503)
  readAccount(@CurrentPrincipal() principal: Principal): Promise<OperatorAccount | UserAccount> {
    return this.account.read(principal);
  }

  @Post('logout')
  @HttpCode(204)
  @BrowserSession('account.read', 'invalid_request')
  @ApiOperation({ summary: 'End this browser session' })
  @ApiResponse({
    status: 204,
    description: 'The session is over, and its cookie cleared.',
    headers: {
      [END_SESSION]: {
        description:
          'Where the browser may go to sign out at the identity provider too; absent where the provider offers no such address.',
        schema: { type: 'string', format: 'uri' },
      },
    },
  })
  @Failures(400, 401, 403, 413, 415, 503)
  async logout(
    @CurrentBrowser() browser: BrowserPrincipal,
    @CurrentActor() actor: AuditActor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const signOut = await this.account.logout(browser, actor);
    reply.header('set-cookie', CLEARED_WEB_COOKIE);
    if (signOut !== null) reply.header(END_SESSION, signOut);
  }
}
