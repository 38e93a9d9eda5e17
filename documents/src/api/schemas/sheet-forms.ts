import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { DocsvcError, invalidMember } from '../../domain/errors.js';
import { endingOf, sentenceOf } from '../../domain/ingest/ingest-errors.js';
import type { Page, ParseFailure } from '../../domain/page-model.js';
import { SheetChoice } from '../../domain/schemas/sheets/sheet-choice.js';
import type { SheetTable } from '../../domain/schemas/sheets/sheet-columns.js';
import { joinTables } from '../../domain/tables/join-tables.js';
import { originalKey } from '../../platform/blobs/blob-store.js';
import type { DocumentReader } from '../../platform/parsing/document-reader.js';
import type { ParserOutcome } from '../../platform/parsing/parser-protocol.js';
import type { Format } from '../../platform/parsing/sniff-request.js';
import { FormIntake, type KeptForm } from '../documents/form-intake.js';
import { DocumentStore } from '../foundation/store.module.js';
import { fieldOf, refuseOtherFields } from '../http/file-form.js';
import { RequestValidationPipe } from '../http/validation.pipe.js';
import { ReaderOfHost } from '../pages/reader-of-host.js';
import { SchemaFromSheet } from './made-schemas.dto.js';

/** Sheets that are read at once, and those that may wait. */
const AT_ONCE = 1;
const MAX_WAITING = 8;
const MAX_SHEETS = 200;
const TIMEOUT_MS = 60_000;

/** A spreadsheet that a form brought. */
export interface FormSheet {
  asked: SchemaFromSheet;
  table: SheetTable;
}

/** Spreadsheets that come in forms: they are read in the jail of this host, and nothing of them is kept. */
@Injectable()
export class SheetForms {
  private readonly place = pLimit(AT_ONCE);
  private readonly pipe = new RequestValidationPipe();

  constructor(
    private readonly documents: DocumentStore,
    private readonly forms: FormIntake,
    private readonly reader: ReaderOfHost,
  ) {}

  /** @throws DocsvcError `invalid_request` for other fields and for a file without such a sheet, `unsupported_type`, `too_large`, `unavailable` */
  async read(request: FastifyRequest): Promise<FormSheet> {
    if (this.place.pendingCount >= MAX_WAITING) throw busy();
    const form = await this.forms.take(request);
    try {
      const asked = await this.askedIn(form);
      const table = await this.place(() => this.tableOf(form, asked.sheetName));
      return { asked, table };
    } finally {
      await this.forms.discard(form);
    }
  }

  private async askedIn(form: KeptForm): Promise<SchemaFromSheet> {
    refuseOtherFields(form, ['sheetName', 'headerRow', 'shape', 'name', 'save']);
    const { headerRow, save } = { headerRow: fieldOf(form, 'headerRow'), save: fieldOf(form, 'save') };
    const said = {
      ...Object.fromEntries(['sheetName', 'shape', 'name'].flatMap((name) => memberOf(form, name))),
      ...(headerRow === undefined ? {} : { headerRow: /^\d{1,9}$/.test(headerRow) ? Number(headerRow) : headerRow }),
      ...(save === undefined ? {} : { save: save === 'true' || (save === 'false' ? false : save) }),
    };
    return (await this.pipe.transform(said, { type: 'body', metatype: SchemaFromSheet })) as SchemaFromSheet;
  }

  private async tableOf({ kept, filename }: KeptForm, sheetName: string | undefined): Promise<SheetTable> {
    const reader = await this.reader.get();
    const document = await this.documents.store.localFile(originalKey(kept.versionId));
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const [sniffed] = itemsOf(await reader.sniff(document, filename === undefined ? {} : { name: filename }, signal));
    if (sniffed?.kind !== 'spreadsheet') {
      throw new DocsvcError('unsupported_type', 'the file is no spreadsheet; send XLSX, XLS, ODS, CSV or TSV');
    }
    const choice = new SheetChoice(sheetName);
    for await (const table of joinTables(await pagesOf(reader, document, sniffed.format, signal)))
      choice.consider(table);
    if (choice.best !== null) return choice.best;
    if (sheetName !== undefined) throw invalidMember('sheetName', 'is no sheet of the file that has a table');
    throw invalidMember('file', 'is a spreadsheet without a table');
  }
}

/** Pages of the whole workbook; a sheet is one. */
async function pagesOf(reader: DocumentReader, document: string, format: Format, signal: AbortSignal): Promise<Page[]> {
  const items = itemsOf(await reader.read(document, format, { from: 1, to: MAX_SHEETS }, signal));
  return items.map((item) => {
    if ('failure' in item) throw refusalOf(item.failure);
    return item.page;
  });
}

/** @throws DocsvcError for a file that cannot be read, or not in the limits of the jail */
function itemsOf<T>({ items, failure }: ParserOutcome<T>): T[] {
  if (failure !== null) throw refusalOf(failure);
  return items;
}

function refusalOf(failure: ParseFailure): DocsvcError {
  const { status, code } = endingOf(failure);
  if (code === 'password_required') {
    return new DocsvcError('password_required', 'the spreadsheet is encrypted; send it without a password');
  }
  if (status === 'stored') return new DocsvcError('unsupported_type', sentenceOf(code));
  if (status === 'quarantined') return new DocsvcError('quarantined', sentenceOf(code));
  return invalidMember('file', `cannot be read: ${failure.message}`);
}

function memberOf(form: KeptForm, name: string): [string, string][] {
  const value = fieldOf(form, name);
  return value === undefined ? [] : [[name, value]];
}

function busy(): DocsvcError {
  const message = 'too many spreadsheets are being read; try again in a moment';
  return new DocsvcError('unavailable', message, { retryAfterSeconds: 2 });
}
