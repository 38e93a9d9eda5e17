import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Table } from '../../domain/page-model.js';

/** A table of a document, which may go on over several pages. */
@Entity('document_tables')
export class DocumentTableEntity {
  @Column('uuid')
  org_id!: string;

  @PrimaryColumn('uuid')
  parse_id!: string;

  @PrimaryColumn('int')
  table_number!: number;

  @Column('int')
  first_page!: number;

  @Column('int')
  last_page!: number;

  @Column('int')
  size_bytes!: number;

  @Column('jsonb')
  content!: Table;
}
