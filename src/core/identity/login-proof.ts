import { Column } from 'typeorm';

/** What an identity provider proved of a login, as rows keep it that came of one. */
export abstract class LoginProof {
  @Column('text', { nullable: true })
  acr!: string | null;

  @Column('text', { array: true, nullable: true })
  amr!: string[] | null;

  @Column('timestamptz', { nullable: true })
  auth_time!: Date | null;

  @Column('text', { nullable: true })
  idp_sid!: string | null;

  @Column('bytea', { nullable: true, select: false })
  id_token_sealed!: Buffer | null;

  @Column('smallint', { default: 1, select: false })
  id_token_key_version!: number;
}
