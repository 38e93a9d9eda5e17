import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsObject, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import type { JsonObject } from '../../domain/json.js';
import { CLONE_NAME_PATTERN } from '../../domain/policy/policy-name.js';

const INT32_MIN = -2_147_483_648;
const INT32_MAX = 2_147_483_647;

export class ImportPolicy {
  @ApiProperty({ description: 'Must be the name that the document says.' })
  @IsString()
  name!: string;

  @ApiProperty({ description: 'The policy document as YAML.' })
  @IsString()
  yaml!: string;
}

export class PublishPolicy {
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The whole draft.' })
  @IsObject()
  content!: JsonObject;

  @ApiProperty({ minLength: 1, description: 'What changed and why; 1 to 500 bytes that are not blank.' })
  @IsString()
  summary!: string;

  @ApiProperty({ type: 'integer', format: 'int32', description: 'The version that the draft started from.' })
  @IsInt()
  @Min(INT32_MIN)
  @Max(INT32_MAX)
  base_version!: number;
}

export class RevertPolicy {
  @ApiProperty({ type: 'integer', format: 'int32', description: 'The version to return to.' })
  @IsInt()
  @Min(INT32_MIN)
  @Max(INT32_MAX)
  version!: number;

  @ApiProperty({ type: 'integer', format: 'int32', description: 'The head that the caller has seen.' })
  @IsInt()
  @Min(INT32_MIN)
  @Max(INT32_MAX)
  base_version!: number;
}

export class ClonePolicy {
  @ApiProperty({ pattern: CLONE_NAME_PATTERN, description: 'Name of the new policy.' })
  @IsString()
  @Matches(new RegExp(CLONE_NAME_PATTERN), {
    message: 'name must be 1 to 64 of A-Z a-z 0-9 . _ -, not beginning with a dot',
  })
  name!: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'Policy to copy; without it the new one is blank and everything asks.',
  })
  @IsOptional()
  @IsString()
  from?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    nullable: true,
    description: 'Version of `from`; its head when left out.',
  })
  @IsOptional()
  @IsInt()
  @Min(INT32_MIN)
  @Max(INT32_MAX)
  from_version?: number | null;
}

export class ValidatePolicy {
  @ApiProperty()
  yaml!: string;
}
