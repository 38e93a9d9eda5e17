import { Controller, Get, Headers, Param, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Permission } from '../auth/permission.decorator.js';
import { CurrentPrincipal, type Principal } from '../auth/principal.js';
import { rowsAsked, seqAsked } from '../http/limit.js';
import { validated, type QueryValue } from '../http/validated.js';
import { pathId } from '../../domain/resource-id.js';
import { Answer, Failures } from '../openapi/answers.js';
import { AfterQuery, IdParam, LimitQuery } from '../openapi/parameters.js';
import { EVENT_REFERENCE } from '../openapi/event-schemas.js';
import { EventStreamHub } from './event-stream-hub.js';
import { EventList, EventsQuery } from './events.dto.js';
import { EventsService } from './events.service.js';
import { resumePosition } from './resume-position.js';

const DEFAULT_PAGE = 200;
/** Each `data` line is one event; the keyword says so to readers of JSON Schema 2020-12. */
const STREAM_SCHEMA = {
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: { $ref: EVENT_REFERENCE },
};

@ApiTags('Events')
@Controller('v1/sessions/:id/events')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly hub: EventStreamHub,
  ) {}

  @Get()
  @Permission('sessions.read')
  @ApiOperation({ summary: 'Poll the timeline of a run' })
  @IdParam('id', 'run')
  @AfterQuery()
  @LimitQuery('200')
  @Answer(EventList, 'Events after the given seq.')
  @Failures(400, 401, 404, 503)
  async listEvents(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Query('after') after?: QueryValue,
    @Query('limit') limit?: QueryValue,
  ): Promise<EventList> {
    const runId = pathId(id, 'run');
    const query = validated(EventsQuery, { after, limit }, 'after', 'limit');
    const [position, most] = [seqAsked(query.after), rowsAsked(query.limit, DEFAULT_PAGE)];
    return { events: await this.events.list(principal, runId, position, most) };
  }

  @Get('stream')
  @Permission('sessions.read')
  @ApiOperation({ summary: 'Follow the timeline of a run; the stream does not end by itself' })
  @IdParam('id', 'run')
  @AfterQuery()
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Seq of the last event that was processed; the stream goes on after it. Wins over `after`.',
    schema: { type: 'string' },
  })
  @ApiResponse({
    status: 200,
    description:
      'Server-sent events: `id` is the seq, `data` one Event as JSON. A comment line every 15 s keeps it alive.',
    content: { 'text/event-stream': { schema: STREAM_SCHEMA } },
  })
  @Failures(400, 401, 404, 503)
  async streamEvents(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Query('after') after: QueryValue,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const runId = pathId(id, 'run');
    const position = resumePosition(lastEventId, after);
    const head = await this.events.requireHead(principal, runId);
    openStream(reply);
    if (request.method === 'HEAD') reply.raw.end();
    else this.hub.follow(principal, { runId, after: position, head }, reply.raw);
  }
}

/** From here on the response is a stream, and no failure can change its status. */
function openStream(reply: FastifyReply): void {
  const headers = reply.getHeaders();
  reply.hijack();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  reply.raw.flushHeaders();
}
