import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, IsNotEmpty, IsOptional, IsString, Matches, ValidateBy } from 'class-validator';
import { labelProblem } from '../../domain/connections/label.js';
import { MAX_SCOPES, SCOPE_PATTERN } from '../../domain/connections/oauth-client.js';

const OWNERS = ['organization', 'personal'] as const;
export type RequestedOwner = (typeof OWNERS)[number];

const MAX_TEXT = 8192;
export const OWNER = {
  type: 'string',
  enum: [...OWNERS, ''],
  nullable: true,
  default: 'organization',
  description: 'An organization needs the role admin or owner; `personal` needs a signed-in user.',
} as const;
export const OPTIONAL_TEXT = { type: 'string', nullable: true, maxLength: MAX_TEXT } as const;
export const SCOPES = {
  type: 'array',
  items: { type: 'string', pattern: SCOPE_PATTERN },
  maxItems: MAX_SCOPES,
} as const;

/** A text without the blanks around it. */
export const Trimmed = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** A text without the blanks around it; one of blanks alone counts as left out. */
const TrimmedOrNull = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() || null : value));

// In each list the rule that stands last is told first.

/** Left out, it is the organization. */
export const IsOwner = (): PropertyDecorator =>
  applyDecorators(TrimmedOrNull(), IsOptional(), IsIn(OWNERS, { message: 'must be organization or personal' }));

/** A secret that has to be given. */
export const IsToken = (): PropertyDecorator =>
  applyDecorators(
    Trimmed(),
    IsNotEmpty({ message: 'must not be empty' }),
    IsString({ message: 'is required and must be a string' }),
  );

/** What a connection is shown as, if it is given. */
export const IsDisplayName = (): PropertyDecorator => applyDecorators(TrimmedOrNull(), IsOptional(), IsLabel());

const IsLabel = (): PropertyDecorator =>
  ValidateBy({
    name: 'isLabel',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && labelProblem(value) === undefined,
      defaultMessage: (args) => {
        const value: unknown = args?.value;
        return (typeof value === 'string' ? labelProblem(value) : undefined) ?? 'must be a string';
      },
    },
  });

const IsShortEnough = (): PropertyDecorator =>
  Matches(new RegExp(`^[^]{0,${MAX_TEXT}}$`), { message: `must have at most ${MAX_TEXT} characters` });

/** A text that may be left out, with the blanks around it. */
export const IsOptionalText = (): PropertyDecorator =>
  applyDecorators(IsOptional(), IsShortEnough(), IsString({ message: 'must be a string' }));

/** A text that must not be blank, with the blanks around it. */
export const IsRequiredText = (): PropertyDecorator =>
  applyDecorators(
    Matches(/\S/, { message: NOT_BLANK }),
    IsShortEnough(),
    IsString({ message: ({ value }) => (value === undefined || value === null ? NOT_BLANK : 'must be a string') }),
  );
const NOT_BLANK = 'is required and must not be empty';

/** The decimal id of something at the code host, which may be sent as a number. */
export const IsNumericId = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (Number.isSafeInteger(value) ? String(value) : value)),
    Trimmed(),
    Matches(/^[0-9]{1,20}$/, { message: 'is required and must be a number of at most 20 digits' }),
  );
