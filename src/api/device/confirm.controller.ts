import { Body, Controller, Get, HttpCode, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LoginErrorFilter } from '../login/login-error.filter.js';
import { Public } from '../auth/permission.decorator.js';
import { redirectTo, sendPage } from '../pages/page-answer.js';
import type { Page } from '../pages/page.js';
import { signedOutPage } from './confirm-pages.js';
import { ConfirmService, type ConfirmForm, type Visit } from './confirm.service.js';

/** The pages on which a person lets a terminal in (docs/design/identity.md#terminals). */
@ApiExcludeController()
@UseFilters(LoginErrorFilter)
@Controller('v1/auth/device/confirm')
export class ConfirmController {
  constructor(private readonly confirm: ConfirmService) {}

  @Get()
  @Public('without a browser session it sends to sign-in')
  async show(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('user_code') userCode?: unknown,
    @Query('org') org?: unknown,
  ): Promise<void> {
    const visit = await this.confirm.visitOf(request, true);
    if (visit === null) {
      return redirectTo(reply, this.confirm.loginPath(textOf(userCode), textOf(org)));
    }
    return sendPage(request, reply, await this.confirm.show(visit, textOf(userCode)));
  }

  @Post()
  @HttpCode(200)
  @Public('the browser session and the token of the form are the credential')
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body?: unknown): Promise<void> {
    const visit = await this.confirm.visitOf(request, false);
    return sendPage(request, reply, await this.pageOf(request, visit, formOf(body)));
  }

  private pageOf({ headers }: FastifyRequest, visit: Visit | null, form: ConfirmForm): Page | Promise<Page> {
    if (visit === null) return signedOutPage(this.confirm.loginPath('', ''));
    // A browser that reports another site is refused at once; the others are held to the token of the form.
    const site = headers['sec-fetch-site'];
    return this.confirm.answer(visit, site === undefined || site === 'same-origin' ? form : { ...form, token: '' });
  }
}

/** Of a form that the page sent, or of the same in JSON. */
function formOf(body: unknown): ConfirmForm {
  const given = (typeof body === 'object' ? body : null) as Record<string, unknown> | null;
  const field = (name: string): string => textOf(given?.[name]);
  return {
    login: field('login'),
    typed: field('typed'),
    token: field('token'),
    code: field('code'),
    answer: field('answer'),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
