import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EventName } from '../../domain/triggers/events/event-names.js';
import type { PullRequestEvent } from '../../domain/triggers/events/pull-request-event.js';

/** A webhook of a code host, stored once its signature verified. The payload is for whoever investigates: it is read by nobody who does not name it. */
@Entity('trigger_deliveries')
export class WebhookEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  tenant_id!: string;

  @Column('uuid')
  connection_id!: string;

  @Column('text')
  external_event_id!: string;

  @Column('text')
  event_type!: EventName;

  @Column('json', { select: false })
  payload!: object;

  @Column('text')
  payload_digest!: string;

  /** What the mapping read from the payload. */
  @Column('jsonb')
  event!: PullRequestEvent;

  @Column('timestamptz', { nullable: true })
  occurred_at!: Date | null;

  @Column('timestamptz')
  received_at!: Date;

  /** Since when every match has what came of it; null while one waits. */
  @Column('timestamptz', { nullable: true })
  handled_at!: Date | null;
}
