import { createHmac } from 'node:crypto';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { isUuid } from '../../../../src/domain/uuid.js';
import { decrypt, encrypt } from '../../../../src/platform/seal/xchacha.js';
import type { Caller } from '../../core/access/caller.js';
import type { PageRequest, RowPage } from '../../core/record/newest-page.js';
import { invalidMember, type DocsvcError } from '../../domain/errors.js';
import { MayBeLeftOut } from './left-out.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MAX_CURSOR_CHARS = 512;

/** Query of a list that has pages. */
export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Most rows to answer.',
  })
  @MayBeLeftOut()
  @Matches(/^(?:[1-9]|[1-9]\d|1\d\d|200)$/, { message: `must be a whole number from 1 to ${MAX_LIMIT}` })
  limit?: string;

  @ApiPropertyOptional({
    type: 'string',
    minLength: 1,
    maxLength: MAX_CURSOR_CHARS,
    description: 'Member `nextCursor` of the page before; it is good for this list alone.',
  })
  @MayBeLeftOut()
  @IsString()
  @MaxLength(MAX_CURSOR_CHARS)
  cursor?: string;
}

/** A page of a list. */
export interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/** The members of every page, for the description of the interface. */
class PageOfAnything {
  @ApiProperty({ type: 'string', nullable: true, description: 'For the next page; null at the end of the list.' })
  nextCursor!: string | null;
}

/** The 200 answer of a list. */
export const PageAnswer = (item: Type, description: string): MethodDecorator =>
  applyDecorators(
    ApiExtraModels(PageOfAnything, item),
    ApiResponse({
      status: 200,
      description,
      schema: {
        allOf: [
          { $ref: getSchemaPath(PageOfAnything) },
          {
            type: 'object',
            required: ['data'],
            properties: { data: { type: 'array', items: { $ref: getSchemaPath(item) } } },
          },
        ],
      },
    }),
  );

/**
 * What a page query asks for. Cursors are sealed for the list of one organization: nobody can make one, or read more from it.
 *
 * @param list a name of the list, with the ids in its address, as in `documents of <project>`
 * @throws DocsvcError `invalid_request` for a cursor of another list, or of nobody
 */
export function openPage(caller: Caller, list: string, query: PageQuery): PageRequest {
  const { cursor } = query;
  return {
    limit: limitOf(query),
    after: cursor === undefined ? null : openCursor(caller, list, cursor),
  };
}

/** Rows that a page query asks for. */
export function limitOf({ limit }: PageQuery): number {
  return Number(limit ?? DEFAULT_LIMIT);
}

/** The answer of a list. @param list as in {@link openPage} */
export function answerPage<E, T>(caller: Caller, list: string, page: RowPage<E>, view: (row: E) => T): Page<T> {
  return { data: page.rows.map(view), nextCursor: sealCursor(caller, list, page.next) };
}

/** For a list whose order is not that of ids: a cursor that holds any text. */
export function sealCursor(caller: Caller, list: string, position: string | null): string | null {
  if (position === null) return null;
  return encrypt(keyOf(caller), Buffer.from(position), Buffer.from(list)).toString('base64url');
}

/** The text that {@link sealCursor} sealed. @throws DocsvcError `invalid_request` */
export function openPosition(caller: Caller, list: string, cursor: string): string {
  try {
    return Buffer.from(decrypt(keyOf(caller), Buffer.from(cursor, 'base64url'), Buffer.from(list))).toString();
  } catch (cause) {
    throw unknownCursor(cause);
  }
}

function openCursor(caller: Caller, list: string, cursor: string): string {
  const id = openPosition(caller, list, cursor);
  if (!isUuid(id)) throw unknownCursor();
  return id;
}

function unknownCursor(cause?: unknown): DocsvcError {
  return invalidMember('cursor', 'is not a cursor of this list; begin without one', 'unknown_cursor', cause);
}

function keyOf({ signingSalt }: Caller): Buffer {
  return createHmac('sha256', signingSalt).update('docsvc cursor').digest();
}
