import { Param, type PipeTransform } from '@nestjs/common';
import { isUuid } from '../../../../src/domain/uuid.js';
import { DocsvcError } from '../../domain/errors.js';

/** A path member that is no id names nothing, like one that nobody has. */
class RowIdPipe implements PipeTransform<string, string> {
  constructor(private readonly what: string) {}

  transform(given: string): string {
    if (!isUuid(given)) throw new DocsvcError('not_found', `no such ${this.what}`);
    return given.toLowerCase();
  }
}

/** Path parameter `id` that is the id of a row. @param what the noun for the refusal, such as `project` */
export const IdParam = (what: string): ParameterDecorator => Param('id', new RowIdPipe(what));
