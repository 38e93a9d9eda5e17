import { availableParallelism, totalmem } from 'node:os';
import { integer } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

const GIB = 1024 ** 3;

/** How documents are read. */
export class ParsingConfig {
  @setting({
    variable: 'DOCSVC_MAX_PARSE_BYTES',
    read: integer(1, 1024 * GIB),
    default: 2 * GIB,
    about: 'Largest file in bytes that is read; a larger one is kept and stays `stored`.',
  })
  readonly maxParseBytes!: number;

  @setting({
    variable: 'DOCSVC_SANDBOX_UID_BASE',
    read: integer(10_000, 4_000_000_000),
    default: 870_000,
    about:
      'First of the user ids under which parsers run where the worker may change users; sixteen from here on must belong to nobody.',
  })
  readonly uidBase!: number;

  @setting({
    variable: 'DOCSVC_PARSERS',
    read: integer(1, 64),
    default: defaultParsers,
    defaultText: 'one for every two cores and 3 GiB of memory, at least 1, at most 8',
    about:
      'Programs that read pages at once in one worker; each may use 2 GiB of memory. Recognition has a slot for each core beside these.',
  })
  readonly parsers!: number;

  @setting({
    variable: 'DOCSVC_EXTRACTORS',
    read: integer(1, 64),
    default: defaultParsers,
    defaultText: 'one for every two cores and 3 GiB of memory, at least 1, at most 8',
    about: 'Documents that values are extracted from at once in one worker; each may use 2 GiB of memory.',
  })
  readonly extractors!: number;
}

function defaultParsers(): number {
  const [byCores, byMemory] = [Math.floor(availableParallelism() / 2), Math.floor(totalmem() / (3 * GIB))];
  return Math.max(1, Math.min(8, byCores, byMemory));
}
