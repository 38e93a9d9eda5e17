import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';

/** The id of a row beside which a page begins. */
export const IsCursor = (what: string): PropertyDecorator =>
  applyDecorators(IsOptional(), IsUUID('loose', { message: `must be the id of ${what}` }));

/** Query `before` or `after` of a list that has pages. */
export const CursorQuery = (name: 'before' | 'after', what: string): MethodDecorator =>
  ApiQuery({
    name,
    required: false,
    schema: { type: 'string', format: 'uuid' },
    description: `Id of ${what}: only those ${name === 'before' ? 'older' : 'newer'} than it.`,
  });

/** Query `member` of a list of what people hold. */
export const MemberQuery = (): MethodDecorator =>
  ApiQuery({
    name: 'member',
    required: false,
    schema: { type: 'string', format: 'uuid' },
    description: "Id of a membership: only that member's.",
  });
