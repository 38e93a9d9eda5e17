import { ApiProperty } from '@nestjs/swagger';
import type { LedgerEvent } from '../../domain/events/event-kinds.js';
import type { JsonObject } from '../../domain/json.js';

export class EventPayload {
  @ApiProperty()
  type!: string;

  @ApiProperty({ type: 'object', additionalProperties: true })
  data!: JsonObject;
}

/** One line of the timeline; a stream's `data` is the same object. */
export class EventView implements LedgerEvent {
  @ApiProperty({ format: 'uuid' })
  event_id!: string;

  @ApiProperty({ format: 'uuid' })
  session_id!: string;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, description: 'Rises by exactly one in a run.' })
  seq!: number;

  @ApiProperty({ type: 'string', enum: ['agent', 'system', 'human', 'harness'] })
  actor!: LedgerEvent['actor'];

  @ApiProperty()
  type!: string;

  @ApiProperty({ type: EventPayload })
  payload!: { type: string; data: JsonObject };

  @ApiProperty({ format: 'date-time' })
  occurred_at!: string;
}

export class EventList {
  @ApiProperty({ type: [EventView], description: 'Ascending; a page shorter than the limit has caught up.' })
  events!: EventView[];
}
