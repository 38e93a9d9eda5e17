import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { PRESET_NAMES } from '../../domain/network/presets.js';
import { MAX_GRANT_SECS, MAX_TARGET_CHARS, MAX_TARGETS, type NetworkInput } from '../../domain/network/request.js';

/** What is asked of the network: nothing, or names at ports over TCP (docs/design/network.md). */
export class NetworkBody implements NetworkInput {
  @ApiProperty({ type: 'string', enum: ['offline', 'approved'] })
  @IsString()
  mode!: string;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', maxLength: MAX_TARGET_CHARS },
    maxItems: MAX_TARGETS,
    nullable: true,
    description: '`host:port`, or `*.suffix:port` for every name of one label more than the suffix.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_TARGETS)
  @IsString({ each: true })
  @MaxLength(MAX_TARGET_CHARS, { each: true })
  targets?: string[] | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    maxItems: PRESET_NAMES.length,
    nullable: true,
    description: `Hosts of package managers, as the deployment defines them: ${PRESET_NAMES.join(', ')}.`,
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(PRESET_NAMES.length)
  @IsString({ each: true })
  presets?: string[] | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_GRANT_SECS,
    nullable: true,
    description: 'How long the grant lasts from the creation of a run; as long as the policy allows when left out.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_GRANT_SECS)
  duration_secs?: number | null;
}
