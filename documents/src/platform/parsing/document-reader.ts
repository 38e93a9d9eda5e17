import type { Inspection, ParseFailure } from '../../domain/page-model.js';
import { acceptInspection, acceptReadPage, acceptRendered, acceptSniffed } from './accept-items.js';
import type { LostPage, PageRequest, ReadPage, RenderedPage } from './page-requests.js';
import type { ParserCall, ParserJail } from './parser-jail.js';
import type { ParserOutcome } from './parser-protocol.js';
import type { ParserName } from './parser-programs.js';
import type { Format, Sniffed, SniffRequest } from './sniff-request.js';

type Asked<Request> = Omit<Request, 'do'>;
type Inspect = Asked<Extract<PageRequest, { do: 'inspect' }>>;
type Read = Asked<Extract<PageRequest, { do: 'read' }>>;
type Recognize = Asked<Extract<PageRequest, { do: 'recognize' }>>;
type Render = Asked<Extract<PageRequest, { do: 'render' }>>;

const MIB = 1024 * 1024;
const SNIFF = { timeoutMs: 30_000, cpuSeconds: 20, memoryMb: 512, maxOutputBytes: MIB };
const INSPECT = { timeoutMs: 50_000, cpuSeconds: 50, maxOutputBytes: 4 * MIB };
const READ = { silenceMs: 10_000 };
/** A sheet is one page, however large it is. */
const READ_SHEETS = { silenceMs: 30_000, maxLineBytes: 128 * MIB };
const RECOGNIZE = { timeoutMs: 30_000, cpuSeconds: 60, maxOutputBytes: 64 * MIB };
const RENDER = { timeoutMs: 30_000, cpuSeconds: 30, maxOutputBytes: 128 * MIB, maxLineBytes: 128 * MIB };

/** Everything that is asked of documents' bytes; jailed programs answer. */
export class DocumentReader {
  constructor(private readonly jail: ParserJail) {}

  /** What a document is. Its name decides between the kinds of text alone. Exactly one item where there is no failure. */
  async sniff(document: string, request: SniffRequest, signal?: AbortSignal): Promise<ParserOutcome<Sniffed>> {
    const call = { program: 'sniff', document, request, limits: SNIFF, signal } as const;
    return single(await this.jail.run(call, acceptSniffed));
  }

  /** What opening it tells. Exactly one item where there is no failure. */
  async inspect(
    document: string,
    format: Format,
    asked: Inspect = {},
    signal?: AbortSignal,
  ): Promise<ParserOutcome<Inspection>> {
    return single(
      await this.ask(document, format, { do: 'inspect', ...asked }, { limits: INSPECT, signal }, acceptInspection),
    );
  }

  /**
   * Pages `from` to `to` as they come, fewer where the document ends before. What came before a failure is whole.
   * With more to come the program that reads them waits a little for the next pages of the same document.
   */
  read(
    document: string,
    format: Format,
    asked: Read,
    signal?: AbortSignal,
  ): Promise<ParserOutcome<ReadPage | LostPage>> {
    const limits = programOf(format) === 'spreadsheet' ? READ_SHEETS : READ;
    const series = seriesOf(asked);
    const request = { do: 'read', ...asked, isMoreToCome: series === 'more' } as const;
    return this.ask(document, format, request, { limits, series, signal }, acceptReadPage);
  }

  /** One page with its pictures recognized. Exactly one item where there is no failure. */
  async recognize(
    document: string,
    format: Format,
    asked: Recognize,
    signal?: AbortSignal,
  ): Promise<ParserOutcome<ReadPage>> {
    const how = { limits: RECOGNIZE, signal };
    const outcome = await this.ask(document, format, { do: 'recognize', ...asked }, how, acceptReadPage);
    const { items, failure } = single(outcome);
    const [item] = items;
    if (item !== undefined && 'failure' in item) return { items: [], failure: item.failure };
    return { items: item === undefined ? [] : [item], failure };
  }

  /** The picture of one page. Exactly one item where there is no failure. */
  async render(
    document: string,
    format: Format,
    asked: Render,
    signal?: AbortSignal,
  ): Promise<ParserOutcome<RenderedPage>> {
    return single(
      await this.ask(document, format, { do: 'render', ...asked }, { limits: RENDER, signal }, acceptRendered),
    );
  }

  /** Ends what still waits for questions. */
  async close(): Promise<void> {
    await this.jail.close();
  }

  private ask<T>(
    document: string,
    format: Format,
    request: PageRequest,
    how: Pick<ParserCall, 'limits' | 'series' | 'signal'>,
    accept: (item: unknown) => T,
  ): Promise<ParserOutcome<T>> {
    const program = programOf(format);
    if (program === null) return Promise.resolve({ items: [], failure: UNREADABLE });
    return this.jail.run({ program, document, request, ...how }, accept);
  }
}

/** A password stays with the call that it came with, and a page that is read alone is judged by a program of its own. */
function seriesOf({ from, to, password, isMoreToCome = false }: Read): ParserCall['series'] {
  if (password !== undefined || from === to) return undefined;
  return isMoreToCome ? 'more' : 'last';
}

const UNREADABLE: ParseFailure = { kind: 'unsupported', message: 'documents of this type are kept and not read' };

const PROGRAMS: Readonly<Record<Format, ParserName | null>> = {
  pdf: 'pdf',
  png: 'image',
  jpeg: 'image',
  tiff: 'image',
  webp: 'image',
  bmp: 'image',
  xlsx: 'spreadsheet',
  xls: 'spreadsheet',
  ods: 'spreadsheet',
  csv: 'spreadsheet',
  tsv: 'spreadsheet',
  plain: 'text',
  markdown: 'text',
  other: null,
};

function programOf(format: Format): ParserName | null {
  return PROGRAMS[format];
}

function single<T>({ items, failure }: ParserOutcome<T>): ParserOutcome<T> {
  if (failure !== null) return { items: [], failure };
  if (items.length === 1) return { items, failure: null };
  return { items: [], failure: { kind: 'crashed', message: 'the parser answered something else than was agreed' } };
}
