import { ApiProperty } from '@nestjs/swagger';

export class Health {
  @ApiProperty({ type: 'string', enum: ['ok'] })
  status!: string;
}

export class Readiness {
  @ApiProperty({ type: 'string', enum: ['ready'] })
  status!: string;

  @ApiProperty()
  db!: boolean;

  @ApiProperty({
    description: 'Sandbox provider of the hosts that are online; without one, what the deployment is configured for.',
  })
  provider!: string;

  @ApiProperty({ description: 'Whether a sandbox host has reported lately; without one new runs wait.' })
  provider_ok!: boolean;
}
