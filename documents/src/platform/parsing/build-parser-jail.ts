import { tryProfile } from '../../../../src/platform/sandbox/bubblewrap/check-host.js';
import { runConfined } from '../../../../src/platform/sandbox/bubblewrap/confined.js';
import { DocsvcError } from '../../domain/errors.js';
import type { ParsingConfig } from '../config/parsing.config.js';
import { ParserJail } from './parser-jail.js';

/**
 * The jail in which this host opens documents. There is no way to open them without one.
 *
 * @throws DocsvcError `unavailable` where none can be built, saying what is missing
 */
export async function buildParserJail({ uidBase }: Pick<ParsingConfig, 'uidBase'>): Promise<ParserJail> {
  const missing = await tryProfile();
  if (missing.length > 0) {
    const problems = missing.join('; ');
    throw new DocsvcError(
      'unavailable',
      `no sandbox can be built on this host, and documents are never opened without one: ${problems}; docsvc doctor tells more`,
    );
  }
  return new ParserJail({ confine: runConfined, uidBase });
}
