import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import {
  MAX_SETUP_COMMAND_CHARS,
  MAX_SETUP_COMMANDS,
  MAX_SETUP_SECS,
  type SetupInput,
} from '../../domain/run/setup-input.js';
import { MayBeLeftOut } from '../http/left-out.js';

const NOT_BLANK = '\\S';

/** Commands that prepare a workspace before its agent starts. */
export class SetupBody implements SetupInput {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: MAX_SETUP_COMMAND_CHARS, pattern: NOT_BLANK },
    maxItems: MAX_SETUP_COMMANDS,
    description: 'Lines of shell, run one after the other and judged as Bash; an empty list clears the setup.',
  })
  @IsArray()
  @ArrayMaxSize(MAX_SETUP_COMMANDS)
  @IsString({ each: true })
  @MaxLength(MAX_SETUP_COMMAND_CHARS, { each: true })
  @Matches(new RegExp(NOT_BLANK), { each: true, message: 'commands must not be blank' })
  commands!: string[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_SETUP_SECS,
    default: 600,
    description: 'Seconds for all commands together.',
  })
  @MayBeLeftOut()
  @IsInt()
  @Min(1)
  @Max(MAX_SETUP_SECS)
  timeout_secs?: number;

  @ApiPropertyOptional({
    default: true,
    description: 'Whether what the commands made may be kept for later runs of the same commands and files.',
  })
  @MayBeLeftOut()
  @IsBoolean()
  cache?: boolean;
}
