import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { DEVICE_CODE_TTL_SECS, DeviceLogins } from '../../core/identity/device-logins.js';
import { SandgateError } from '../../domain/errors.js';
import { publicUrl } from '../../platform/config/index.js';
import { Public } from '../auth/permission.decorator.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { clientAddress } from '../http/client-address.js';
import { FORM } from '../http/form-bodies.js';
import { Answer, Failures } from '../openapi/answers.js';
import { CONFIRM_PATH } from './confirm-pages.js';
import {
  DeviceLogin,
  DeviceToken,
  GiveUpToken,
  GivenUpToken,
  PollDeviceLogin,
  StartDeviceLogin,
} from './device.dto.js';

const NAMELESS = 'A terminal without a name';

/** Signing in from a terminal, as terminals see it (docs/design/identity.md#terminals). */
@ApiTags('Signing in')
@Controller('v1/auth/device')
export class DeviceController {
  constructor(
    private readonly logins: DeviceLogins,
    private readonly config: ApiConfig,
  ) {}

  @Post()
  @HttpCode(200)
  @Public('whoever signs in has no credential yet')
  @ApiOperation({ summary: 'Begin to sign in from a terminal (RFC 8628)' })
  @ApiConsumes('application/json', FORM)
  @ApiBody({ type: StartDeviceLogin, required: false })
  @Answer(DeviceLogin, 'Two codes: one for the terminal, one for the person.')
  @Failures(400, 413, 415, 429, 503)
  async startDeviceLogin(@Req() request: FastifyRequest, @Body() body: StartDeviceLogin): Promise<DeviceLogin> {
    const name = (body.client_name ?? body.client_id ?? NAMELESS).trim();
    const { deviceCode, userCode } = await this.logins.start(name, clientAddress(request));
    const address = new URL(CONFIRM_PATH, publicUrl(this.config.http));
    if (body.org !== undefined) address.searchParams.set('org', body.org);
    const complete = new URL(address);
    complete.searchParams.set('user_code', userCode);
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: address.href,
      verification_uri_complete: complete.href,
      expires_in: DEVICE_CODE_TTL_SECS,
      interval: this.logins.pollSecs,
    };
  }

  @Post('token')
  @HttpCode(200)
  @Public('the device code is the credential')
  @ApiOperation({
    summary: 'Ask for the token of a terminal',
    description:
      'Until there is one it answers 400 with `authorization_pending`, `slow_down`, `access_denied`, `expired_token` or `invalid_grant` as the error (RFC 8628 §3.5).',
  })
  @ApiConsumes('application/json', FORM)
  @ApiBody({ type: PollDeviceLogin })
  @Answer(DeviceToken, 'The token, once.')
  @Failures(400, 413, 415, 429, 503)
  async pollDeviceLogin(@Req() request: FastifyRequest, @Body() body: PollDeviceLogin): Promise<DeviceToken> {
    const sourceIp = clientAddress(request);
    const outcome = await this.logins.poll(body.device_code, { sourceIp, requestId: request.id });
    if ('refusal' in outcome) throw new SandgateError('invalid_request', outcome.refusal);
    return { access_token: outcome.token, token_type: 'Bearer', expires_in: outcome.expiresInSecs };
  }

  @Post('revoke')
  @HttpCode(200)
  @Public('the token to end is the credential')
  @ApiOperation({
    summary: 'End the personal access token that a terminal holds (RFC 7009)',
    description: 'Whoever holds a token may end it, and learns nothing about one that is none.',
  })
  @ApiConsumes('application/json', FORM)
  @ApiBody({ type: GiveUpToken })
  @Answer(GivenUpToken, 'It is over.')
  @Failures(400, 413, 415, 503)
  async giveUpToken(@Req() request: FastifyRequest, @Body() body: GiveUpToken): Promise<GivenUpToken> {
    await this.logins.giveUp(body.token, { sourceIp: clientAddress(request), requestId: request.id });
    return { revoked: true };
  }
}
