import { applyDecorators } from '@nestjs/common';
import { IsOptional, ValidateBy } from 'class-validator';
import { organizationProblem } from '../../domain/connections/app-manifest.js';

const SHAPE = 'must be a string';

/** An organization of the code host, if one is named. */
export const IsOrganization = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    ValidateBy({
      name: 'isOrganization',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && organizationProblem(value) === undefined,
        defaultMessage: (args) => {
          const value: unknown = args?.value;
          return (typeof value === 'string' ? organizationProblem(value) : undefined) ?? SHAPE;
        },
      },
    }),
  );
