import { Controller, Get, Param, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppAddresses } from '../../core/codehost/app-addresses.js';
import { InstallApp } from '../../core/codehost/install-app.js';
import { RegisterApp } from '../../core/codehost/register-app.js';
import { Public } from '../auth/permission.decorator.js';
import { NotByHead } from '../http/not-by-head.js';
import { PageErrorFilter, redirectTo, sendPage } from '../pages/page-answer.js';
import { appRefusalPage, registeredPage, registrationPage, setupPage } from './app-pages.js';
import { clearAppFlowCookie, readAppFlowCookie, setAppFlowCookie } from './flow-cookie.js';

/** The pages of registering and installing an app, for a person's browser (docs/design/code-host-apps.md). */
@ApiExcludeController()
@UseFilters(PageErrorFilter)
@Controller('v1/codehost/app')
export class CodehostPagesController {
  constructor(
    private readonly register: RegisterApp,
    private readonly install: InstallApp,
    private readonly addresses: AppAddresses,
  ) {}

  @Get('manifest/go')
  @NotByHead()
  @Public('the sealed token in the address is the credential')
  async openManifest(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('boot') boot?: unknown,
  ): Promise<void> {
    const opened = await this.register.go(textOf(boot));
    if ('refusal' in opened) return sendPage(request, reply, appRefusalPage(opened.refusal));
    this.bind(reply, opened);
    return sendPage(request, reply, registrationPage(opened, this.addresses));
  }

  @Get('manifest/callback')
  @NotByHead()
  @Public('the state and the cookie of the flow are the credential')
  async completeManifest(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('code') code?: unknown,
    @Query('state') state?: unknown,
  ): Promise<void> {
    const cookieOf = cookieReader(request);
    const outcome = await this.register.complete({ code: textOf(code), state: textOf(state), cookieOf });
    if ('flowId' in outcome) this.release(reply, outcome.flowId);
    return sendPage(request, reply, registeredPage(outcome));
  }

  @Get('install/go')
  @NotByHead()
  @Public('the sealed token in the address is the credential')
  async openInstall(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('boot') boot?: unknown,
  ): Promise<void> {
    const opened = await this.install.go(textOf(boot));
    if ('refusal' in opened) return sendPage(request, reply, appRefusalPage(opened.refusal));
    this.bind(reply, opened);
    return redirectTo(reply, opened.location);
  }

  @Get(':id/setup')
  @NotByHead()
  @Public('the state and the cookie of the flow are the credential')
  async completeSetup(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Query('installation_id') installation?: unknown,
    @Query('state') state?: unknown,
  ): Promise<void> {
    const outcome = await this.install.complete({
      registrationId: id.toLowerCase(),
      installationId: textOf(installation),
      state: textOf(state),
      cookieOf: cookieReader(request),
    });
    if ('flowId' in outcome) this.release(reply, outcome.flowId);
    return sendPage(request, reply, setupPage(outcome));
  }

  private bind(reply: FastifyReply, { flowId, nonce }: { flowId: string; nonce: string }): void {
    void reply.header('set-cookie', setAppFlowCookie(flowId, nonce, this.addresses.isHttps));
  }

  private release(reply: FastifyReply, flowId: string): void {
    void reply.header('set-cookie', clearAppFlowCookie(flowId, this.addresses.isHttps));
  }
}

function cookieReader({ headers }: FastifyRequest): (flowId: string) => string | null {
  return (flowId) => readAppFlowCookie(headers.cookie, flowId);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
