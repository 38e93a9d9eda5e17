import { Body, Controller, Header, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProperty, ApiPropertyOptional, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../http/scopes.decorator.js';
import { OauthErrorFilter } from './oauth-error.filter.js';
import { TokenService } from './token.service.js';

/** The fields of RFC 6749, 4.4.2, which keep their own names (DI-037). */
export class TokenRequest {
  @ApiProperty({ type: 'string', enum: ['client_credentials'] })
  grant_type!: string;

  @ApiPropertyOptional({ description: 'Left out where HTTP Basic carries it.' })
  client_id?: string;

  @ApiPropertyOptional({ description: 'Left out where HTTP Basic carries it.' })
  client_secret?: string;

  @ApiPropertyOptional({ description: 'Names of scopes, separated by spaces, that narrow what the token may do.' })
  scope?: string;
}

export class TokenAnswer {
  @ApiProperty({ description: 'Opaque; it is nowhere else.' })
  access_token!: string;

  @ApiProperty({ type: 'string', enum: ['Bearer'] })
  token_type!: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'Seconds.' })
  expires_in!: number;

  @ApiProperty({ description: 'Names of scopes, separated by spaces.' })
  scope!: string;
}

export class OauthErrorBody {
  @ApiProperty()
  error!: string;

  @ApiProperty()
  error_description!: string;
}

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
  @ApiBody({ schema: { $ref: '#/components/schemas/TokenRequest' }, required: true })
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
