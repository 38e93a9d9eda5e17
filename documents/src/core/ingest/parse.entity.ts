import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Warning } from '../../domain/page-model.js';

/** What reading certain bytes with certain options came to. */
@Entity('parses')
export class ParseEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  org_id!: string;

  @Column('uuid')
  project_id!: string;

  @Column('uuid')
  version_id!: string;

  @Column('int')
  attempt!: number;

  @Column('text')
  status!: 'running' | 'ready' | 'partial' | 'obsolete';

  @Column('int', { nullable: true })
  page_count!: number | null;

  @Column('int')
  ocr_pages!: number;

  @Column('int', { array: true })
  failed_pages!: number[];

  @Column('text', { nullable: true })
  language!: string | null;

  @Column('jsonb')
  warnings!: Warning[];

  @Column('timestamptz', { nullable: true })
  finished_at!: Date | null;
}
