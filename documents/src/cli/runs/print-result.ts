import { ResultTable } from '../../domain/csv/result-rows.js';
import { compileSchema, type CompiledSchema } from '../../domain/schemas/compile-schema.js';
import type { CliContext } from '../context/cli-context.js';
import type { Schemas } from '../server/schemas.js';
import { safeJson } from '../terminal/escape.js';
import { renderRows } from '../terminal/output.js';
import { CITED_LEAF, citedLeaves } from './cited-leaves.js';
import { renderResult } from './result-for-people.js';
import { resultLines, wholeResult, type AskedResult, type DocumentResult } from './result-lines.js';
import type { Run } from './run-reference.js';

/** How a result is printed. */
export interface PrintedResult extends AskedResult {
  /** With the places on the pages. */
  citations?: boolean | undefined;
  /** Of documents, by the ids of their versions, as far as they are known. */
  names?: ReadonlyMap<string, string> | undefined;
}

const LINE_END = '\r\n';

/**
 * What a run came to, in the format that is set, on standard output. What is wrong with it is told on the other.
 *
 * @throws ApiError for a run that failed or was cancelled, CliError for one that has not ended
 */
export async function printResult(context: CliContext, run: Run, asked: PrintedResult): Promise<void> {
  const { format } = context.style;
  const names = new Map(asked.names);
  if (format === 'json') await printWhole(context, run, asked, names);
  else await printEach(context, run, asked, names);
  tellWarnings(context, run, names);
}

/** What keeps a run from being complete. @param names of documents, by the ids of their versions */
export function tellWarnings(context: CliContext, { warnings }: Run, names: ReadonlyMap<string, string>): void {
  for (const { documentVersionId: id, pageNumber, message } of warnings) {
    const place = [id === undefined ? undefined : (names.get(id) ?? id), pageNumber && `page ${pageNumber}`];
    context.note(['warning', ...place.filter((one) => one !== undefined), message].join(': '));
  }
}

type Names = Map<string, string>;

async function printWhole(context: CliContext, { id }: Run, asked: PrintedResult, names: Names): Promise<void> {
  const result = await wholeResult(context, id, asked);
  const results = result.results.map((one) => shown(one, asked));
  const fields = result.fields === undefined ? {} : { fields: results[0]?.fields };
  context.print(safeJson({ ...result, results, ...fields }, 2));
  for (const one of result.results) remark(context, one, names);
}

async function printEach(context: CliContext, run: Run, asked: PrintedResult, names: Names): Promise<void> {
  const told = tellEach(context, resultLines(context, run.id, asked), names);
  const { format } = context.style;
  if (format === 'jsonl') {
    for await (const one of told) context.print(safeJson(shown(one, asked)));
  } else if (asked.citations === true) await printLeaves(context, told);
  else if (format === 'csv') await printRows(context, await schemaOf(context, run), told);
  else await printForPeople(context, await schemaOf(context, run), told);
}

type Results = AsyncIterable<DocumentResult>;

async function printRows(context: CliContext, schema: CompiledSchema, results: Results): Promise<void> {
  const table = new ResultTable(schema, context.style.raw);
  context.write(table.header() + LINE_END);
  for await (const { documentName, data } of results) {
    for (const line of table.lines({ documentName, data: data as never })) context.write(line + LINE_END);
  }
}

async function printLeaves(context: CliContext, results: Results): Promise<void> {
  const { style } = context;
  let isFirst = true;
  for await (const one of results) {
    const text = renderRows(citedLeaves(one), CITED_LEAF, style);
    const isHeadless = style.format === 'csv' && !isFirst;
    if (style.format === 'csv') context.write((isHeadless ? withoutHeader(text) : text) + LINE_END);
    else context.print(isFirst ? text : `\n${text}`);
    isFirst = false;
  }
}

async function printForPeople(context: CliContext, schema: CompiledSchema, results: Results): Promise<void> {
  let isFirst = true;
  for await (const one of results) {
    context.print((isFirst ? '' : '\n') + renderResult(one, schema, context.style));
    isFirst = false;
  }
}

function withoutHeader(text: string): string {
  const end = text.indexOf(LINE_END);
  return end < 0 ? '' : text.slice(end + LINE_END.length);
}

async function schemaOf(context: CliContext, { schemaVersionId }: Run): Promise<CompiledSchema> {
  const version = await context.api.object<Schemas['SchemaVersionView']>(`/api/schema-versions/${schemaVersionId}`);
  return compileSchema(version.jsonSchema as never);
}

async function* tellEach(context: CliContext, results: Results, names: Names): AsyncGenerator<DocumentResult> {
  for await (const one of results) {
    yield one;
    remark(context, one, names);
  }
}

/** Keeps the name for the warnings of the run, and says which values are to be looked at. */
function remark(context: CliContext, result: DocumentResult, names: Names): void {
  const { documentName, documentVersionId, needsReview } = result;
  if (documentVersionId !== null && documentName !== null) names.set(documentVersionId, documentName);
  if (needsReview.length === 0) return;
  const whose = documentName ?? 'all documents';
  context.note(`${whose}: less sure than asked for, so to be looked at: ${needsReview.join(', ')}`);
}

/** Places are many, so they come when they are asked for. */
function shown(result: DocumentResult, { citations }: PrintedResult): DocumentResult {
  if (citations === true) return result;
  const fields = Object.fromEntries(
    Object.entries(result.fields).map(([path, { citations: _left, ...field }]) => [path, field]),
  );
  return { ...result, fields: fields as DocumentResult['fields'] };
}
