import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../../../../src/domain/json.js';

export const SCHEMA_SOURCES = ['manual', 'generated', 'inferred'] as const;
/** By whom a version was written: by hand, from words, or from a sheet. */
export type SchemaSource = (typeof SCHEMA_SOURCES)[number];

/** What a schema says since one moment. Never changed (DI-010). */
@Entity('schema_versions')
export class SchemaVersionEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  schema_id!: string;

  @Column('int')
  version!: number;

  @Column('json')
  json_schema!: JsonObject;

  @Column('bytea')
  digest!: Buffer;

  @Column('text')
  source!: SchemaSource;

  @Column('int')
  field_count!: number;

  @Column('timestamptz', { default: () => 'now()' })
  created_at!: Date;
}
