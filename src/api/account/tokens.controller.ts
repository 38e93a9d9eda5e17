import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { pathId } from '../../domain/resource-id.js';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { CurrentActor } from '../auth/current-actor.js';
import { BrowserSession, Permission } from '../auth/permission.decorator.js';
import { CurrentBrowser, CurrentUser, type BrowserPrincipal, type UserPrincipal } from '../auth/principal.js';
import { Answer, Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { MintedToken, MintToken, RevokedCredential, TokenList } from './tokens.dto.js';
import { TokensService } from './tokens.service.js';

/** A person's own access tokens. One token makes no other: minting and revoking are done in a browser. */
@ApiTags('Account')
@Controller('v1/auth/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post()
  @HttpCode(200)
  @BrowserSession('tokens.write')
  @ApiOperation({ summary: 'Mint a personal access token' })
  @ApiBody({ type: MintToken })
  @Answer(MintedToken, 'The token, and what is kept of it.')
  @Failures(400, 401, 403, 413, 415, 503)
  mintToken(
    @CurrentBrowser() browser: BrowserPrincipal,
    @Body() body: MintToken,
    @CurrentActor() actor: AuditActor,
  ): Promise<MintedToken> {
    return this.tokens.mint(browser, body, actor);
  }

  @Get()
  @Permission('tokens.read')
  @ApiOperation({ summary: 'List your personal access tokens' })
  @Answer(TokenList, 'Tokens of the caller.')
  @Failures(400, 401, 403, 503)
  listTokens(@CurrentUser() user: UserPrincipal): Promise<TokenList> {
    return this.tokens.list(user);
  }

  @Delete(':id')
  @BrowserSession('tokens.write')
  @ApiOperation({ summary: 'Revoke a personal access token of yours' })
  @IdParam('id', 'token')
  @Answer(RevokedCredential, 'The token is no longer accepted.')
  @Failures(400, 401, 403, 404, 413, 415, 503)
  revokeToken(
    @CurrentBrowser() browser: BrowserPrincipal,
    @Param('id') id: string,
    @CurrentActor() actor: AuditActor,
  ): Promise<RevokedCredential> {
    return this.tokens.revoke(browser, pathId(id, 'token'), actor);
  }
}
