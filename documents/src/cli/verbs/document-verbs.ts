import { isUuid } from '../../../../src/domain/uuid.js';
import type { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';
import { listOf, textOf, type Verb } from './verb.js';

const UPLOAD = {
  ...{ ID: 'id', Name: 'name', Size: 'sizeBytes', Parts: 'partCount', Status: 'status' },
  ...{ Expires: 'expiresAt', Created: 'createdAt' },
};
const DOCUMENT = {
  ...{ ID: 'id', Name: 'name', Kind: 'kind', Status: 'status', Version: 'latestVersion', Pages: 'pageCount' },
  ...{ Size: 'sizeBytes', Labels: 'labels', Updated: 'updatedAt' },
};
const VERSION = {
  ...{ Version: 'version', Status: 'status', Stage: 'stage', Done: 'progress.pagesDone', Pages: 'pageCount' },
  ...{ Size: 'sizeBytes', SHA256: 'sha256', Error: 'error.message', Created: 'createdAt', Ready: 'readyAt' },
};
const OF_VERSION = ['--version <number>', 'of this version; the latest one without it'] as const;

/** The id of a document that somebody named by its id, or by its name in the project. @throws CliError `notFound` */
export async function documentId(context: CliContext, named: string): Promise<string> {
  if (isUuid(named)) return named;
  const name = named.normalize('NFC');
  const path = `/api/projects/${encodeURIComponent(context.project)}/documents`;
  const found = await context.api.rows<Schemas['Document']>(path, { namePrefix: name });
  const document = found.find((one) => one.name === name);
  if (document === undefined) throw new CliError(`the project has no document named ${named}`, EXIT.notFound);
  return document.id;
}

/** Verbs for uploads and documents that are one request each. */
export const DOCUMENT_VERBS: readonly Verb[] = [
  {
    name: 'uploads list',
    about: 'uploads that have not ended',
    prints: 'rows',
    columns: UPLOAD,
    request: ({ context }) => ({ path: `/api/projects/${encodeURIComponent(context.project)}/uploads` }),
  },
  {
    name: 'uploads abort',
    about: 'end an upload, and give its room back',
    takes: '<id>',
    prints: 'nothing',
    columns: {},
    request: ({ args: [id = ''] }) => ({ method: 'DELETE', path: `/api/uploads/${encodeURIComponent(id)}` }),
  },
  {
    name: 'docs list',
    about: 'list documents',
    options: [
      ['--status <status>', 'of the latest version'],
      ['--kind <kind>', 'pdf, image, spreadsheet, text or other'],
      ['--label <label>', 'with this label'],
      ['--prefix <text>', 'whose names begin so'],
      ['--updated-after <time>', 'changed since'],
    ],
    prints: 'rows',
    columns: DOCUMENT,
    request: ({ options, context }) => ({
      path: `/api/projects/${encodeURIComponent(context.project)}/documents`,
      query: {
        status: textOf(options['status']),
        kind: textOf(options['kind']),
        label: textOf(options['label']),
        namePrefix: textOf(options['prefix']),
        updatedAfter: textOf(options['updatedAfter']),
      },
    }),
  },
  {
    name: 'docs show',
    about: 'show a document',
    takes: '<document>',
    prints: 'record',
    columns: { ...DOCUMENT, Metadata: 'metadata', Created: 'createdAt' },
    request: async ({ args: [named = ''], context }) => ({
      path: `/api/documents/${await documentId(context, named)}`,
    }),
  },
  {
    name: 'docs versions',
    about: 'list the versions of a document',
    takes: '<document>',
    prints: 'rows',
    columns: VERSION,
    request: async ({ args: [named = ''], context }) => ({
      path: `/api/documents/${await documentId(context, named)}/versions`,
    }),
  },
  {
    name: 'docs restore',
    about: 'make an older version the newest one again',
    takes: '<document> <version>',
    prints: 'record',
    columns: { Document: 'document.name', Version: 'version.version', Status: 'version.status' },
    request: async ({ args: [named = '', version = ''], context }) => ({
      method: 'POST',
      path: `/api/documents/${await documentId(context, named)}/versions/${encodeURIComponent(version)}/restore`,
    }),
  },
  {
    name: 'docs tables',
    about: 'tables that were found',
    takes: '<document>',
    options: [['--page <number>', 'on this page'], OF_VERSION],
    prints: 'rows',
    columns: { Table: 'tableNumber', Pages: 'pages', Header: 'header', Rows: 'rows' },
    request: async ({ args: [named = ''], options, context }) => ({
      path: `/api/documents/${await documentId(context, named)}/tables`,
      query: { page: textOf(options['page']), version: textOf(options['version']) },
    }),
  },
  {
    name: 'docs reprocess',
    about: 'read a document again',
    takes: '<document>',
    options: [
      ['--ocr-mode <mode>', 'how pictures of text are read'],
      ['--ocr-languages <list>', 'as in eng,deu'],
      ['--password <password>', 'that opens it; used once, never kept; other users of this host can see it here'],
    ],
    prints: 'nothing',
    columns: {},
    request: async ({ args: [named = ''], options, context }) => ({
      method: 'POST',
      path: `/api/documents/${await documentId(context, named)}/reprocess`,
      body: {
        ocrMode: textOf(options['ocrMode']),
        ocrLanguages: listOf(options['ocrLanguages']),
        password: textOf(options['password']),
      },
    }),
  },
  {
    name: 'docs delete',
    about: 'delete a document; it is purged 30 days later',
    takes: '<document>',
    prints: 'nothing',
    columns: {},
    request: async ({ args: [named = ''], context }) => ({
      method: 'DELETE',
      path: `/api/documents/${await documentId(context, named)}`,
    }),
  },
];
