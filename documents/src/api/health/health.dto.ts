import { ApiProperty } from '@nestjs/swagger';

export class Health {
  @ApiProperty({ type: 'string', enum: ['ok'] })
  status!: 'ok';
}

export class Readiness {
  @ApiProperty({ type: 'string', enum: ['ready'] })
  status!: 'ready';

  @ApiProperty()
  database!: boolean;
}
