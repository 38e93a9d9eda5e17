import { ApiProperty } from '@nestjs/swagger';
import type { LedgerEvent } from '../../domain/events/event-kinds.js';
import { IsSeq, PageQuery } from '../http/limit.js';
import { EVENT_REFERENCE } from '../openapi/event-schemas.js';

/** Query of a timeline. */
export class EventsQuery extends PageQuery {
  @IsSeq()
  after?: string;
}

export class EventList {
  @ApiProperty({
    type: 'array',
    items: { $ref: EVENT_REFERENCE },
    description: 'Ascending; a page shorter than the limit has caught up.',
  })
  events!: LedgerEvent[];
}
