import { SandgateError } from '../../../../src/domain/errors.js';
import { confineWithLimits } from '../../../../src/platform/sandbox/choice/confine-with-limits.js';
import { DocsvcError } from '../../domain/errors.js';
import type { ParsingConfig } from '../config/parsing.config.js';
import { ParserJail } from './parser-jail.js';

/**
 * The jail in which this host opens documents. There is no way to open them without one.
 *
 * @throws DocsvcError `unavailable` where none can be built, saying what is missing
 */
export async function buildParserJail({ uidBase }: Pick<ParsingConfig, 'uidBase'>): Promise<ParserJail> {
  try {
    return new ParserJail({ confine: await confineWithLimits(), uidBase });
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    throw new DocsvcError(
      'unavailable',
      `no sandbox can be built on this host, and documents are never opened without one: ${error.message}`,
      { cause: error },
    );
  }
}
