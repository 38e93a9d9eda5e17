import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConnectCallback } from '../../core/oauth/connect-callback.js';
import { GoPage, type NotShown } from '../../core/oauth/go-page.js';
import { PublicAddress } from '../../core/oauth/public-address.js';
import { Public } from '../auth/permission.decorator.js';
import { NotByHead } from '../http/not-by-head.js';
import { callbackPage, goRefusalPage, questionPage } from './connect-pages.js';
import { clearFlowCookie, readFlowCookie, setFlowCookie } from './flow-cookie.js';
import { PageErrorFilter, sendPage } from '../pages/page-answer.js';
import { SessionVisitor } from './session-visitor.js';

/** The pages of connecting, for a person's browser (docs/design/oauth.md). */
@ApiExcludeController()
@UseFilters(PageErrorFilter)
@Controller('v1/oauth')
export class OauthPagesController {
  constructor(
    private readonly goPage: GoPage,
    private readonly callback: ConnectCallback,
    private readonly address: PublicAddress,
    private readonly visitor: SessionVisitor,
  ) {}

  @Get('go')
  @Public('the sealed token in the address is the credential')
  async showQuestion(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query('f') token?: unknown,
  ): Promise<void> {
    const userId = await this.visitor.userIdOf(request);
    const shown = await this.goPage.show(textOf(token), { cookie: readFlowCookie(request.headers.cookie), userId });
    if (!('question' in shown)) return refuse(request, reply, { not: shown, token: textOf(token) });
    void reply.header('set-cookie', setFlowCookie(shown.cookie));
    sendPage(request, reply, questionPage(shown.question, textOf(token)));
  }

  @Post('go')
  @HttpCode(303)
  @Public('the sealed token and the cookie of the page before are the credential')
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body?: unknown): Promise<void> {
    // Other sites can send a form here. The cookie is not sent then, and a browser that reports another site is refused at once.
    const site = request.headers['sec-fetch-site'];
    const cookie = site === undefined || site === 'same-origin' ? readFlowCookie(request.headers.cookie) : null;
    const token = formField(body, 'f');
    const confirmed = await this.goPage.confirm(token, { cookie, userId: await this.visitor.userIdOf(request) });
    if (!('location' in confirmed)) return refuse(request, reply, { not: confirmed, token });
    void reply
      .status(303)
      .header('set-cookie', setFlowCookie(confirmed.cookie))
      .header('referrer-policy', 'no-referrer')
      .header('location', confirmed.location)
      .send();
  }

  @Get('callback')
  @NotByHead()
  @Public('the state and the cookie of the flow are the credential')
  complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.finish(request, reply, this.address.callbackUrl);
  }

  @Get('callback/:issuer')
  @NotByHead()
  @Public('the state and the cookie of the flow are the credential')
  completeOf(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('issuer') issuer: string,
  ): Promise<void> {
    return this.finish(request, reply, `${this.address.callbackUrl}/${issuer}`);
  }

  private async finish(request: FastifyRequest, reply: FastifyReply, redirectUri: string): Promise<void> {
    const query = request.url.indexOf('?');
    const outcome = await this.callback.complete({
      parameters: new URLSearchParams(query === -1 ? '' : request.url.slice(query + 1)),
      redirectUri,
      cookie: readFlowCookie(request.headers.cookie),
      userId: await this.visitor.userIdOf(request),
    });
    if (outcome.connected || outcome.flowEnded) void reply.header('set-cookie', clearFlowCookie());
    sendPage(request, reply, callbackPage(outcome));
  }
}

/** Whoever is not signed in goes to do so, and comes back to the question. */
function refuse(request: FastifyRequest, reply: FastifyReply, { not, token }: { not: NotShown; token: string }): void {
  if ('refusal' in not) return sendPage(request, reply, goRefusalPage(not.refusal));
  const back = new URLSearchParams({ redirect_to: `/v1/oauth/go?${new URLSearchParams({ f: token }).toString()}` });
  void reply
    .status(303)
    .header('referrer-policy', 'no-referrer')
    .header('location', `/v1/auth/login/${not.signIn}/start?${back.toString()}`)
    .send();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Of a form that the page sent, or of the same in JSON. */
function formField(body: unknown, name: string): string {
  return typeof body === 'object' && body !== null ? textOf((body as Record<string, unknown>)[name]) : '';
}
