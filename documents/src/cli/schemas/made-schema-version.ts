import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { JsonObject } from '../../../../src/domain/json.js';
import { digestSchema } from '../../domain/schemas/schema-digest.js';
import type { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { callerPath, isCallerFile } from '../settings/caller-folder.js';
import { documentId } from '../verbs/document-verbs.js';
import { schemasPath } from '../verbs/schema-verbs.js';
import { readSchemaFile, tellFaults } from './schema-files.js';
import type { SchemaVersion } from './schema-version.js';

/** How a sheet is read for a schema. */
export interface SheetFlags {
  sheet?: string | undefined;
  headerRow?: number | undefined;
  shape?: string | undefined;
}

/** How a schema comes to be, and what is sent for it. */
interface Making {
  how: 'generate' | 'infer';
  body: (asked: object) => Promise<object>;
}

/** A version from words. @param saveAs null: under a name that follows from what it says, so that the same words give the same version */
export function versionFromWords(
  context: CliContext,
  description: string,
  saveAs: string | null,
): Promise<SchemaVersion> {
  return make(context, { how: 'generate', body: (asked) => Promise.resolve({ description, ...asked }) }, saveAs);
}

/** A version from a spreadsheet: a file of this host, which is not kept, or a document of the project. */
export function versionFromSheet(
  context: CliContext,
  named: string,
  flags: SheetFlags,
  saveAs: string | null,
): Promise<SchemaVersion> {
  return make(context, { how: 'infer', body: (asked) => sheetBody(context, named, flags, asked) }, saveAs);
}

/** A version from a file of JSON Schema. */
export async function versionFromFile(
  context: CliContext,
  file: string,
  saveAs: string | null,
): Promise<SchemaVersion> {
  const jsonSchema = await readSchemaFile(file);
  const name = saveAs ?? nameOf('file', jsonSchema);
  const body = { name, jsonSchema };
  const made = await tellFaults(context, () =>
    context.api.object<Schemas['SchemaView']>(schemasPath(context), { method: 'POST', body }),
  );
  return made.schemaVersion;
}

/** What is sent to have a schema made of a sheet. */
export async function sheetBody(
  context: CliContext,
  named: string,
  { sheet, headerRow, shape }: SheetFlags,
  asked: object,
): Promise<object> {
  const members = {
    ...(sheet === undefined ? {} : { sheetName: sheet }),
    ...(headerRow === undefined ? {} : { headerRow }),
    ...(shape === undefined ? {} : { shape }),
    ...asked,
  };
  return isCallerFile(named)
    ? sheetForm(callerPath(named), members)
    : { documentId: await documentId(context, named), ...members };
}

/** Asks for a schema, says what is uncertain in it, and faults before a refusal. */
export async function askForSchema(context: CliContext, how: Making['how'], body: object): Promise<Made> {
  const path = `${schemasPath(context)}/${how}`;
  const made = await tellFaults(context, () => context.api.object<Made>(path, { method: 'POST', body }));
  for (const { path: at, message } of made.warnings) context.note(`warning: ${at === '' ? '' : `${at}: `}${message}`);
  return made;
}

type Made = Schemas['MadeSchemaView'];

async function make(context: CliContext, { how, body }: Making, saveAs: string | null): Promise<SchemaVersion> {
  if (saveAs !== null) return versionOf(await askForSchema(context, how, await body({ save: true, name: saveAs })));
  const { jsonSchema } = await askForSchema(context, how, await body({}));
  const name = nameOf(how === 'generate' ? 'words' : 'sheet', jsonSchema);
  const [known] = await context.api.rows<Schemas['SchemaRowView']>(schemasPath(context), { name }, 1);
  if (known !== undefined) return context.api.object<SchemaVersion>(`/api/schema-versions/${known.latestVersionId}`);
  const asked = { method: 'POST', body: await body({ save: true, name }) } as const;
  return versionOf(await context.api.object<Made>(`${schemasPath(context)}/${how}`, asked));
}

function versionOf({ schemaVersion }: Made): SchemaVersion {
  if (schemaVersion === null) throw new TypeError('the API kept no schema');
  return schemaVersion;
}

/** Two schemas that say the same have one name, so they are one schema. */
function nameOf(origin: string, jsonSchema: object): string {
  return `${origin} ${digestSchema(jsonSchema as JsonObject)
    .toString('hex')
    .slice(0, 16)}`;
}

async function sheetForm(file: string, asked: object): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(asked)) form.append(name, String(value));
  form.append('file', await openAsBlob(file), basename(file));
  return form;
}
