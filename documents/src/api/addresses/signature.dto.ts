import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';

/** What a signed address says of itself. */
export class SignatureQuery {
  @ApiPropertyOptional({ format: 'uuid', description: 'The organization that signed.' })
  @IsOptional()
  @IsString()
  org?: string;

  @ApiPropertyOptional({ description: 'Unix time in seconds.' })
  @IsOptional()
  @IsString()
  expires?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  signature?: string;
}
