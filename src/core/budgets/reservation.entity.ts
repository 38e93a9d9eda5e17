import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What is held for a model request until it is settled; functions alone write it (docs/design/budgets.md). */
@Entity('llm_reservations')
export class ReservationEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  session_id!: string;

  @Column('text')
  state!: 'reserved' | 'charged' | 'released' | 'unreported';
}
