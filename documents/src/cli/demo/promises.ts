import type { JsonObject } from '../../../../src/domain/json.js';
import type { Schemas } from '../server/schemas.js';
import type { DrawnCitation } from './draw-citation.js';
import type { CheckedEvent } from './event-receiver.js';

export type ExtractionResult = Schemas['ExtractionResultView'];

/** All that the demo has seen. */
export interface Evidence {
  invoice: ExtractionResult;
  receipt: ExtractionResult;
  sheet: ExtractionResult;
  run: Schemas['ExtractionView'];
  /** What the first command said again, and the runs of the project before and after. */
  again: { same: boolean; sent: boolean; runs: number };
  /** The data of the invoice in the other formats. */
  printed: { table: string; csv: string; jsonl: string };
  drawn: DrawnCitation;
  hits: readonly { documentName: string; pageNumber: number; excerpt: string }[];
  told: CheckedEvent | null;
}

type DemoPromise = readonly [text: string, kept: (evidence: Evidence) => boolean];

const INVOICE = {
  ...{ invoiceNumber: 'HC-2024-0117', invoiceDate: '2024-03-04', total: 1234.5 },
  lineItems: [
    { description: 'Mooring rope', quantity: 4, unitPrice: 120, amount: 480 },
    { description: 'Fender', quantity: 10, unitPrice: 65.45, amount: 654.5 },
    { description: 'Anchor shackle', quantity: 20, unitPrice: 5, amount: 100 },
  ],
};
const ARTICLES = ['Mooring rope', 'Fender', 'Anchor shackle', 'Signal flags'];

/** What the demo promises; it fails when one is not kept. */
const PROMISES: readonly DemoPromise[] = [
  ['the invoice became the data that is printed on it', ({ invoice }) => equals(invoice.data, INVOICE)],
  [
    'the total was read from the picture of a receipt',
    ({ receipt }) => receipt.data?.['total'] === 10.5 && sourcesOf(receipt, '/total').includes('ocr'),
  ],
  ['every row of the sheet is there, cited by its cells', everyRowOfTheSheet],
  [
    'every value is cited from a page that says it',
    ({ invoice, receipt, sheet }) => [invoice, receipt, sheet].every(everyValueIsCited),
  ],
  ['every value has a confidence of its own', ({ invoice }) => areSure(Object.values(invoice.fields ?? {}))],
  ['no model was asked', ({ run: { usage, engine } }) => engine === 'local' && usage.inputTokens === 0],
  [
    'the same command again sent nothing, started nothing and said the same',
    ({ again: { same, sent, runs } }) => same && !sent && runs === 1,
  ],
  ['the same data comes as a table, as CSV and as lines of JSON', isPrintedAlike],
  [
    'the box of a citation frames its words on the picture of the page',
    ({ drawn }) => drawn.ink > 0.5 && drawn.share < 0.25,
  ],
  [
    'a question is answered with document, page and excerpt',
    ({ hits }) =>
      hits.some(
        ({ documentName, pageNumber, excerpt }) =>
          documentName === 'invoice.pdf' && pageNumber === 1 && excerpt.includes('HC-2024-0117'),
      ),
  ],
  [
    'the end of the run was told by a signed webhook',
    ({ told }) => told?.event['type'] === 'extraction.completed' && told.genuine === null,
  ],
  [
    'the same webhook again, and one with another body, are refused',
    ({ told }) => told?.repeated === 'id_repeated' && told.altered === 'signature_wrong',
  ],
];

/** Every promise with whether it was kept. */
export function checkPromises(evidence: Evidence): { text: string; kept: boolean }[] {
  return PROMISES.map(([text, kept]) => ({ text, kept: kept(evidence) }));
}

function equals(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isPrintedAlike({ printed: { table, csv, jsonl } }: Evidence): boolean {
  const { invoiceNumber, invoiceDate, total, lineItems } = INVOICE;
  const rows = lineItems.map((line) => ['invoice.pdf', invoiceNumber, invoiceDate, total, ...Object.values(line)]);
  const [, ...lines] = csv.trimEnd().split('\r\n');
  return (
    equals(
      lines,
      rows.map((row) => row.join(',')),
    ) &&
    rows.every((row) => row.slice(1).every((value) => table.includes(String(value)))) &&
    equals((JSON.parse(jsonl) as ExtractionResult).data, INVOICE)
  );
}

function everyRowOfTheSheet({ sheet }: Evidence): boolean {
  const rows = Object.values(sheet.data ?? {}).find((value) => Array.isArray(value)) as JsonObject[] | undefined;
  const cited = Object.entries(sheet.fields ?? {}).every(
    ([, { raw, citations }]) => raw === null || citations.every(({ cellRange }) => cellRange !== undefined),
  );
  return (
    cited &&
    equals(
      rows?.map((row) => row['article']),
      ARTICLES,
    )
  );
}

/** Probabilities, and no constant. */
function areSure(fields: readonly { confidence: number }[]): boolean {
  const said = fields.map(({ confidence }) => confidence);
  return said.every((one) => one > 0 && one < 1) && new Set(said).size > 1;
}

function sourcesOf({ fields }: ExtractionResult, path: string): string[] {
  return fields?.[path]?.citations.map(({ source }) => source) ?? [];
}

function everyValueIsCited({ fields = {} }: ExtractionResult): boolean {
  const values = Object.values(fields).filter(({ raw }) => raw !== null);
  return (
    values.length > 0 &&
    values.every(({ raw, citations }) => citations.some(({ excerpt }) => excerpt.includes(raw ?? '')))
  );
}
