import { ApiProperty } from '@nestjs/swagger';
import type { LedgerEvent } from '../../domain/events/event-kinds.js';
import { EVENT_REFERENCE } from '../openapi/event-schemas.js';

export class EventList {
  @ApiProperty({
    type: 'array',
    items: { $ref: EVENT_REFERENCE },
    description: 'Ascending; a page shorter than the limit has caught up.',
  })
  events!: LedgerEvent[];
}
