import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsObject, IsString, Matches } from 'class-validator';
import type { JsonObject } from '../../../../src/domain/json.js';
import { MAX_LABELS } from '../../domain/documents/annotations.js';
import { AsGiven } from '../http/as-given.js';
import { MayBeLeftOut } from '../http/left-out.js';

const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(;[ -~]{0,100})?$/;

/** What a client may say of a file beside its bytes. */
export class Annotations {
  @ApiPropertyOptional({
    maxLength: 255,
    description: 'The media type that the client takes it for; it is not relied on.',
  })
  @MayBeLeftOut()
  @IsString()
  @Matches(MEDIA_TYPE, { message: 'must be a media type, such as application/pdf' })
  contentType?: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'At most 16 KiB as JSON.' })
  @MayBeLeftOut()
  @IsObject()
  @AsGiven()
  metadata?: JsonObject;

  @ApiPropertyOptional({ type: [String], maxItems: MAX_LABELS })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMaxSize(MAX_LABELS)
  @IsString({ each: true })
  labels?: string[];
}
