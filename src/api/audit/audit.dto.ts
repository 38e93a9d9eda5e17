import { ApiProperty } from '@nestjs/swagger';

export class LedgerKeyView {
  @ApiProperty({ description: 'What signed heads name as `key_id`.' })
  key_id!: string;

  @ApiProperty({ type: 'string', enum: ['Ed25519'] })
  algorithm!: string;

  @ApiProperty({ description: 'SPKI, PEM.' })
  public_key!: string;
}
