import { Column, Entity, PrimaryColumn } from 'typeorm';
import { BIGINT } from '../record/bigint-column.js';

/** A part whose bytes and digest are durable. */
@Entity('upload_parts')
export class UploadPartEntity {
  @PrimaryColumn('uuid')
  session_id!: string;

  @PrimaryColumn('int')
  part_number!: number;

  @Column('text')
  etag!: string;

  @Column('bigint', { transformer: BIGINT })
  size_bytes!: number;
}
