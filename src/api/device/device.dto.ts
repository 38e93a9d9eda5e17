import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { MayBeLeftOut } from '../http/left-out.js';
import { OptionalBody } from '../http/optional-body.js';

const MAX_NAME_CHARS = 100;
const MAX_CODE_CHARS = 256;
/** A person reads it before they decide, so nothing in it may hide or turn the line around. */
const SHOWABLE = /^[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}][^\p{C}\p{Zl}\p{Zp}]*$/u;
const SLUG = '^[a-z0-9][a-z0-9-]{0,62}$';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

/** Device authorization request (RFC 8628 §3.1). */
@OptionalBody()
export class StartDeviceLogin {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: MAX_NAME_CHARS,
    description: 'What the person is shown, and the name of the token: one line of visible characters.',
  })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(MAX_NAME_CHARS)
  @Matches(SHOWABLE, { message: 'client_name: must be one line of visible characters' })
  client_name?: string;

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: MAX_NAME_CHARS,
    description:
      'Shown where there is no client_name. Clients are not registered, so it is believed no more than that.',
  })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(MAX_NAME_CHARS)
  @Matches(SHOWABLE, { message: 'client_id: must be one line of visible characters' })
  client_id?: string;

  @ApiPropertyOptional({ pattern: SLUG, description: 'Slug of the organization to sign in with, where it is known.' })
  @MayBeLeftOut()
  @Matches(new RegExp(SLUG), { message: 'org: must be the slug of an organization' })
  org?: string;
}

/** Device authorization response (RFC 8628 §3.2). */
export class DeviceLogin {
  @ApiProperty({ description: 'The secret with which the terminal asks.' })
  device_code!: string;

  @ApiProperty({ description: 'What the person types.', example: 'WDJB-MJHT' })
  user_code!: string;

  @ApiProperty({ format: 'uri' })
  verification_uri!: string;

  @ApiProperty({ format: 'uri', description: 'Shows at once who asks. The code is still to be typed.' })
  verification_uri_complete!: string;

  @ApiProperty({ type: 'integer', description: 'Seconds for which both codes live.' })
  expires_in!: number;

  @ApiProperty({ type: 'integer', description: 'Seconds to wait between two questions.' })
  interval!: number;
}

/** Device access token request (RFC 8628 §3.4). */
export class PollDeviceLogin {
  @ApiProperty({ minLength: 1, maxLength: MAX_CODE_CHARS })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_CODE_CHARS)
  device_code!: string;

  @ApiPropertyOptional({ enum: [GRANT_TYPE] })
  @MayBeLeftOut()
  @IsIn([GRANT_TYPE])
  grant_type?: typeof GRANT_TYPE;

  @ApiPropertyOptional({ maxLength: MAX_NAME_CHARS, description: 'Not looked at.' })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(MAX_NAME_CHARS)
  client_id?: string;
}

/** Access token response (RFC 6749 §5.1). */
export class DeviceToken {
  @ApiProperty({ description: 'A personal access token, answered once.' })
  access_token!: string;

  @ApiProperty({ enum: ['Bearer'] })
  token_type!: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'Seconds for which it lives.' })
  expires_in!: number;
}

/** Revocation request (RFC 7009 §2.1). */
export class GiveUpToken {
  @ApiProperty({ minLength: 1, maxLength: MAX_CODE_CHARS, description: 'The personal access token to end.' })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_CODE_CHARS)
  token!: string;

  @ApiPropertyOptional({ enum: ['access_token'] })
  @MayBeLeftOut()
  @IsIn(['access_token'])
  token_type_hint?: 'access_token';

  @ApiPropertyOptional({ maxLength: MAX_NAME_CHARS, description: 'Not looked at.' })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(MAX_NAME_CHARS)
  client_id?: string;
}

export class GivenUpToken {
  @ApiProperty({ enum: [true], description: 'The token is of no use any more, or never was.' })
  revoked!: true;
}
