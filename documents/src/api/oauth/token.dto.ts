import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The fields of RFC 6749, 4.4.2, which keep their own names (DI-037). */
export class TokenRequest {
  @ApiProperty({ type: 'string', enum: ['client_credentials'] })
  grant_type!: string;

  @ApiPropertyOptional({ description: 'Left out where HTTP Basic carries it.' })
  client_id?: string;

  @ApiPropertyOptional({ description: 'Left out where HTTP Basic carries it.' })
  client_secret?: string;

  @ApiPropertyOptional({ description: 'Names of scopes, separated by spaces, that narrow what the token may do.' })
  scope?: string;
}

export class TokenAnswer {
  @ApiProperty({ description: 'Opaque; it is nowhere else.' })
  access_token!: string;

  @ApiProperty({ type: 'string', enum: ['Bearer'] })
  token_type!: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'Seconds.' })
  expires_in!: number;

  @ApiProperty({ description: 'Names of scopes, separated by spaces.' })
  scope!: string;
}

export class OauthErrorBody {
  @ApiProperty()
  error!: string;

  @ApiProperty()
  error_description!: string;
}
