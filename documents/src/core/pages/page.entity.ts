import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Page } from '../../domain/page-model.js';

/** What a page says. Its words and their boxes lie in a blob, in the place that `words_key` names (page-details.ts). */
@Entity('pages')
export class PageEntity {
  @Column('uuid')
  org_id!: string;

  @PrimaryColumn('uuid')
  parse_id!: string;

  @PrimaryColumn('int')
  page_number!: number;

  @Column('float8')
  width!: number;

  @Column('float8')
  height!: number;

  @Column('text')
  unit!: Page['unit'];

  @Column('int')
  rotation!: Page['rotation'];

  @Column('text', { nullable: true })
  label!: string | null;

  @Column('text', { nullable: true })
  sheet_name!: string | null;

  @Column('text')
  text!: string;

  @Column('text')
  source!: Page['source'];

  @Column('real', { nullable: true })
  ocr_confidence!: number | null;

  @Column('text', { nullable: true })
  words_key!: string | null;

  @Column('int')
  table_count!: number;
}
