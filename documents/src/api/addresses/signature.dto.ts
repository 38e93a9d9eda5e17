import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { MayBeLeftOut } from '../http/left-out.js';

/** What a signed address says of itself. */
export class SignatureQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'The organization that signed.' })
  @MayBeLeftOut()
  @IsString()
  org?: string;

  @ApiPropertyOptional({ description: 'Unix time in seconds.' })
  @MayBeLeftOut()
  @IsString()
  expires?: string;

  @ApiPropertyOptional()
  @MayBeLeftOut()
  @IsString()
  signature?: string;
}
