import { ApiProperty } from '@nestjs/swagger';

export class StartedConnectFlow {
  @ApiProperty({
    format: 'uri',
    description:
      'Open it in the browser of the person who signs in; the first browser to continue from it has the flow.',
  })
  go_url!: string;
}

/** Client ID Metadata Document; its address is the client id. */
export class ClientDocument {
  @ApiProperty({ format: 'uri', description: 'The address of this document.' })
  client_id!: string;

  @ApiProperty()
  client_name!: string;

  @ApiProperty({ format: 'uri' })
  client_uri!: string;

  @ApiProperty({ type: [String], format: 'uri' })
  redirect_uris!: string[];

  @ApiProperty({ type: [String] })
  grant_types!: string[];

  @ApiProperty({ type: [String] })
  response_types!: string[];

  @ApiProperty({ enum: ['none'] })
  token_endpoint_auth_method!: 'none';
}
