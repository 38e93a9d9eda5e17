import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';

@Entity('events_outbox')
export class EventEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('text')
  type!: string;

  @Column('jsonb')
  data!: JsonObject;
}
