import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A data key of an organization as it rests: wrapped (docs/design/sealing.md). */
@Entity('tenant_deks')
export class DataKeyEntity {
  @PrimaryColumn('uuid')
  tenant_id!: string;

  @PrimaryColumn('int')
  version!: number;

  @Column('text')
  kek_id!: string;

  @Column('bytea')
  wrapped_dek!: Buffer;
}
