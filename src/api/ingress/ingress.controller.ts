import { applyDecorators, Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebhookIngress, type IngressAnswer } from '../../core/ingress/webhook-ingress.js';
import { sentBytes } from '../http/webhook-bodies.js';
import { Public } from '../auth/permission.decorator.js';
import { Failures } from '../openapi/answers.js';
import { IdParam } from '../openapi/parameters.js';
import { HandledWebhookView, IgnoredWebhookView, StoredWebhookView, type WebhookAnswer } from './ingress.dto.js';

const SIGNED = 'the signature of the body is the credential';

/** What both addresses of webhooks have in common in the description. */
const Webhook = (
  ...answers: (typeof StoredWebhookView | typeof IgnoredWebhookView | typeof HandledWebhookView)[]
): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(StoredWebhookView, IgnoredWebhookView, HandledWebhookView),
    ...['X-Hub-Signature-256', 'X-GitHub-Delivery', 'X-GitHub-Event'].map((name) =>
      ApiHeader({ name, required: true }),
    ),
    ApiBody({
      schema: { type: 'object', additionalProperties: true },
      description: 'As the code host sends it, at most 2 MiB.',
    }),
    ApiResponse({
      status: 200,
      description: 'It was stored, or is of no event that is listened to.',
      schema: { oneOf: answers.map((answer) => ({ $ref: getSchemaPath(answer) })) },
    }),
  );

@ApiTags('Webhooks')
@Controller('v1/ingress/:connector')
export class IngressController {
  constructor(private readonly ingress: WebhookIngress) {}

  @Post('app/:registration_id')
  @HttpCode(200)
  @Public(SIGNED)
  @ApiOperation({ summary: 'Receive a webhook of a registered code-host app', security: [] })
  @IdParam('registration_id', 'webhook')
  @Webhook(StoredWebhookView, IgnoredWebhookView, HandledWebhookView)
  @ApiResponse({ status: 202, type: IgnoredWebhookView, description: 'Authentic, and for no active connection.' })
  @Failures(400, 401, 404, 408, 409, 503)
  receiveAppWebhook(
    @Param('connector') connector: string,
    @Param('registration_id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookAnswer> {
    return answer(reply, this.ingress.ofApp(connector, id, webhookOf(request)));
  }

  @Post(':connection_id')
  @HttpCode(200)
  @Public(SIGNED)
  @ApiOperation({ summary: 'Receive a webhook of a connection to the code host', security: [] })
  @IdParam('connection_id', 'webhook')
  @Webhook(StoredWebhookView, IgnoredWebhookView)
  @ApiResponse({ status: 202, type: IgnoredWebhookView, description: 'Authentic, and of another installation.' })
  @Failures(400, 401, 404, 408, 409, 503)
  receiveWebhook(
    @Param('connector') connector: string,
    @Param('connection_id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookAnswer> {
    return answer(reply, this.ingress.ofConnection(connector, id, webhookOf(request)));
  }
}

function webhookOf(request: FastifyRequest): { headers: FastifyRequest['headers']; body: Buffer } {
  return { headers: request.headers, body: sentBytes(request) };
}

async function answer(reply: FastifyReply, receiving: Promise<IngressAnswer>): Promise<WebhookAnswer> {
  const { status, body } = await receiving;
  void reply.status(status);
  return body;
}
