import { applyDecorators } from '@nestjs/common';
import { IsOptional, Matches, ValidateBy } from 'class-validator';

/** The largest page of any list; a larger `limit` is clamped to it (docs/design/api-conventions.md). */
export const MAX_LIMIT = 1000;
const INTEGER = /^-?[0-9]+$/;

/** A positive decimal integer, as text. */
export const IsLimit = (): PropertyDecorator =>
  applyDecorators(IsOptional(), Matches(/^0*[1-9][0-9]*$/, { message: 'must be a positive integer' }));

/** A position in a ledger, as the decimal text of an int64. */
export const IsSeq = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    ValidateBy({
      name: 'isInt64',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && INTEGER.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value),
        defaultMessage: () => 'must be an integer of 64 bits',
      },
    }),
    Matches(INTEGER, { message: 'must be an integer' }),
  );

/** Query of a list that has pages. */
export class PageQuery {
  @IsLimit()
  limit?: string;
}

/** Rows to answer, clamped to {@link MAX_LIMIT}. */
export function rowsAsked(limit: string | undefined, whenAbsent: number): number {
  return limit === undefined ? whenAbsent : Math.min(Number(limit), MAX_LIMIT);
}

/** The seq to begin after; a negative one means the beginning. */
export function seqAsked(after: string | undefined): string {
  const value = BigInt(after ?? 0);
  return value < 0n ? '0' : value.toString();
}
