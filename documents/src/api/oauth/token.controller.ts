import { Body, Controller, Header, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../http/scopes.decorator.js';
import { OauthErrorFilter } from './oauth-error.filter.js';
import { OauthErrorBody, TokenAnswer, TokenRequest } from './token.dto.js';
import { TokenService } from './token.service.js';

@ApiTags('Access')
@Controller('oauth/token')
@UseFilters(OauthErrorFilter)
export class TokenController {
  constructor(private readonly tokens: TokenService) {}

  @Post()
  @Public('whoever asks for a token has none; the secret of the client is checked here')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Header('pragma', 'no-cache')
  @ApiOperation({ summary: 'Exchange the credentials of a client for an access token' })
  @ApiBody({ type: TokenRequest, required: true })
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiResponse({ status: 200, type: TokenAnswer, description: 'A token.' })
  @ApiResponse({ status: 400, type: OauthErrorBody, description: 'The request is not one of this endpoint.' })
  @ApiResponse({ status: 401, type: OauthErrorBody, description: 'The client is unknown or its secret is wrong.' })
  @ApiResponse({ status: 413, type: OauthErrorBody, description: 'The form is too large.' })
  @ApiResponse({ status: 415, type: OauthErrorBody, description: 'The body is no form.' })
  @ApiResponse({ status: 429, type: OauthErrorBody, description: 'Too many wrong secrets; wait.' })
  @ApiResponse({ status: 503, type: OauthErrorBody, description: 'The service is unavailable; try again.' })
  issueToken(@Req() request: FastifyRequest, @Body() form: unknown): Promise<TokenAnswer> {
    return this.tokens.issue(request, form);
  }
}
