import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { CliContext } from '../context/cli-context.js';
import { readError } from '../server/docsvc-api.js';
import type { Schemas } from '../server/schemas.js';
import { callerPath } from '../settings/caller-folder.js';
import { block } from '../terminal/escape.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { awaitVersion, exitOfVersion } from '../upload/await-version.js';
import { documentId } from '../verbs/document-verbs.js';
import { groupOf } from '../verbs/verb.js';

const PAGE = { Page: 'pageNumber', Source: 'source', Text: 'text' };
const VERSION = {
  Version: 'version',
  Status: 'status',
  Pages: 'pageCount',
  Failed: 'failedPages',
  Error: 'error.message',
};

/** Verbs for what documents say and for their bytes. */
export function addDocuments(program: Command): void {
  const docs = groupOf(program, 'docs').description('documents of the project');
  docs
    .command('wait <document>')
    .description('wait until the latest version has been read')
    .option('--poll-interval <seconds>', 'between two looks')
    .option('--timeout <seconds>', 'longest wait; reading goes on')
    .action(async (named: string, _options, command: Command) => {
      const context = CliContext.of(command);
      const id = await documentId(context, named);
      const { latestVersion } = await context.api.object<Schemas['Document']>(`/api/documents/${id}`);
      const version = await awaitVersion(context, id, latestVersion);
      context.printRecord(version, VERSION);
      process.exitCode = exitOfVersion(version);
    });
  docs
    .command('text <document>')
    .description('print the text of its pages')
    .option('--page <number>', 'this page only')
    .option('--version <number>', 'of this version')
    .action(printText);
  docs
    .command('image <document> <page>')
    .description('save the picture of a page as PNG')
    .option('--dpi <number>', 'from 36 to 200')
    .option('--version <number>', 'of this version')
    .option('--to <file>', 'where; - is standard output')
    .action(saveImage);
  docs
    .command('download <document>')
    .description('save the bytes that were uploaded')
    .option('--version <number>', 'of this version')
    .option('--to <file>', 'where; - is standard output')
    .action(saveBytes);
}

interface PageOfText {
  pageNumber: number;
  text: string;
}

interface OfVersion {
  version?: string;
}

async function printText(
  named: string,
  { page, version }: OfVersion & { page?: string },
  command: Command,
): Promise<void> {
  const context = CliContext.of(command);
  const path = `/api/documents/${await documentId(context, named)}/pages`;
  const pages =
    page === undefined
      ? await context.api.rows<PageOfText>(path, { version })
      : [await context.api.object<PageOfText>(`${path}/${encodeURIComponent(page)}`, { query: { version } })];
  if (context.style.format !== 'table') return context.printRows(pages, PAGE);
  for (const one of pages) {
    if (pages.length > 1) context.note(`page ${one.pageNumber}`);
    context.print(block(one.text));
  }
}

async function saveImage(
  named: string,
  page: string,
  { dpi, version, to }: OfVersion & { dpi?: string; to?: string },
  command: Command,
): Promise<void> {
  const context = CliContext.of(command);
  const path = `/api/documents/${await documentId(context, named)}/pages/${encodeURIComponent(page)}/image`;
  const answer = await context.api.send(path, { query: { dpi, version }, headers: { accept: 'image/png' } });
  await save(context, answer, to ?? `${basename(named)}.${page}.png`);
}

async function saveBytes(named: string, { version, to }: OfVersion & { to?: string }, command: Command): Promise<void> {
  const context = CliContext.of(command);
  const id = await documentId(context, named);
  const { name } = await context.api.object<Schemas['Document']>(`/api/documents/${id}`);
  const path = `/api/documents/${id}/download`;
  const { url } = await context.api.object<Schemas['DownloadAddress']>(path, { query: { version } });
  const answer = await fetch(url, { redirect: 'error' });
  if (!answer.ok) throw await readError(answer);
  // The server's name must not lead out of this folder.
  await save(context, answer, to ?? basename(name));
}

/** Whole or not at all. */
async function save(context: CliContext, { body }: Response, to: string): Promise<void> {
  if (body === null) throw new CliError('the answer has no bytes');
  const bytes = Readable.fromWeb(body);
  if (to === '-') {
    await pipeline(bytes, process.stdout, { end: false });
    return;
  }
  if (['', '.', '..'].includes(to)) throw new CliError('--to needs a file', EXIT.usage);
  const path = callerPath(to);
  const partial = `${path}.${process.pid}.part`;
  try {
    await pipeline(bytes, createWriteStream(partial, { flags: 'wx' }));
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
  context.note(`saved ${path}`);
}
