import type { JsonObject } from '../../../../src/domain/json.js';
import { drawnPdf, type Drawing } from '../parsing/generated-files.js';

export const LAYOUTS = ['ruled', 'unruled', 'wrapped', 'grouped'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** What is wrong with a list: a page that was not read, rows whose words are gone or cannot be read, numbers that are left out with their rows. */
export const DAMAGES = ['page', 'gone', 'unreadable', 'gap'] as const;
export type Damage = (typeof DAMAGES)[number];

export interface ListPlan {
  layout: Layout;
  rows: number;
  seed: number;
  damage: Damage | null;
}

export interface ListedRow {
  number: number;
  date: string;
  customer: string;
  description: string;
  quantity: number;
  price: string;
  amount: string;
  region: string;
}

export interface PrintedList {
  bytes: Buffer;
  pages: number;
  schema: JsonObject;
  /** All rows that the list has, those too that its damage hides. */
  rows: ListedRow[];
  /** Pages that are left out of the reading. */
  unread: number[];
}

const PAGE = { width: 600, height: 800, left: 36, right: 564, top: 60, bottom: 756 };
const SIZE = 8;
/** From one line of a row to the next, and around a row. */
const LEADING = 9.2;
const PADDING = 3.6;
const COLUMNS = [
  { key: 'number', title: 'No.', left: 36, width: 32, align: 'right' },
  { key: 'date', title: 'Date', left: 76, width: 52, align: 'left' },
  { key: 'customer', title: 'Customer', left: 134, width: 104, align: 'left' },
  { key: 'description', title: 'Description', left: 244, width: 136, align: 'left' },
  { key: 'quantity', title: 'Qty', left: 386, width: 36, align: 'right' },
  { key: 'price', title: 'Unit price', left: 430, width: 60, align: 'right' },
  { key: 'amount', title: 'Amount', left: 498, width: 66, align: 'right' },
] as const;
type Column = (typeof COLUMNS)[number];

const FIRST = 'Anna Bruno Clara David Elif Farid Greta Hugo Ines Jonas Kaya Liam Mara Nils Olga Pablo'.split(' ');
const LAST =
  'Abel Brandt Costa Dietz Evans Fischer Gruber Hansen Ito Jensen Keller Lopez Moreau Novak Okoro Peters'.split(' ');
const THINGS =
  'Hinge Bracket Valve Cable Lamp Filter Panel Bolt Sensor Switch Pump Gasket Bearing Clamp Nozzle Spring'.split(' ');
const MADE = 'steel brass copper plastic rubber glass ceramic aluminium nylon carbon'.split(' ');
const MORE = 'with mounting kit and two spare screws for outdoor use in wet rooms up to forty degrees'.split(' ');
const REGIONS = 'North South East West Central Coast Highland Lakeside Valley Harbour Plains Islands'.split(' ');

/** A list as a program prints it; the same plan gives the same bytes. */
export async function printedList(plan: ListPlan): Promise<PrintedList> {
  const random = randomFrom(plan.seed);
  const style = styleOf(plan, random);
  const rows = listedRows(plan, random);
  const hidden = hiddenRows(plan, rows.length, random);
  let pages = 0;
  const bytes = await drawnPdf(
    (pdf) => {
      pages = new ListPrinter(pdf, plan, style, random).print(rows, hidden);
    },
    { size: [PAGE.width, PAGE.height], autoFirstPage: false },
  );
  const unread = plan.damage === 'page' ? [1 + Math.floor(random() * pages)] : [];
  return { bytes, pages, schema: schemaOf(plan), rows, unread };
}

interface Style {
  isNumbered: boolean;
  isCounted: boolean;
  repeatsHeader: boolean;
  hasTotal: boolean;
}

function styleOf({ damage }: ListPlan, random: () => number): Style {
  return {
    isNumbered: damage === 'gap' || random() < 0.5,
    isCounted: random() < 0.3,
    repeatsHeader: random() < 0.8,
    hasTotal: random() < 0.5,
  };
}

/** Pseudo-random numbers 0…1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function listedRows({ layout, rows }: ListPlan, random: () => number): ListedRow[] {
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? '';
  let [region, left] = [-1, 0];
  return Array.from({ length: rows }, (_, at): ListedRow => {
    if (left === 0) [region, left] = [region + 1, 4 + Math.floor(random() * 24)];
    left -= 1;
    const quantity = 1 + Math.floor(random() * 40);
    const cents = 100 + Math.floor(random() * 50_000);
    const long =
      layout === 'wrapped' && random() < 0.4 ? ` ${MORE.slice(0, 6 + Math.floor(random() * 8)).join(' ')}` : '';
    const day = new Date(Date.UTC(2023, 0, 1 + Math.floor(at / 9))).toISOString().slice(0, 10);
    return {
      ...{ number: at + 1, date: day, customer: `${pick(FIRST)} ${pick(LAST)}` },
      ...{ description: `${pick(THINGS)} ${pick(MADE)}${long}`, quantity },
      ...{ price: money(cents), amount: money(cents * quantity) },
      region: `${REGIONS[region % REGIONS.length] ?? ''} ${1 + Math.floor(region / REGIONS.length)}`,
    };
  });
}

function money(cents: number): string {
  const [whole = '', rest] = (cents / 100).toFixed(2).split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/gu, ',')}.${rest ?? '00'}`;
}

/** Up to three stretches of rows, none of them at the very end, where nothing could tell of them. */
function hiddenRows({ damage }: ListPlan, rows: number, random: () => number): Set<number> {
  const hidden = new Set<number>();
  if (damage === null || damage === 'page') return hidden;
  const stretches = 1 + Math.floor(random() * 3);
  for (let count = 0; count < stretches; count++) {
    const from = 1 + Math.floor(random() * (rows - 6));
    for (let at = from; at < from + 1 + Math.floor(random() * 3); at++) hidden.add(at);
  }
  return hidden;
}

function schemaOf({ layout }: ListPlan): JsonObject {
  const text = (description: string): JsonObject => ({ type: 'string', description });
  const item: JsonObject = {
    type: 'object',
    properties: {
      date: { type: 'string', format: 'date', description: 'Date of the order' },
      customer: text('Customer'),
      description: text('Description of the article'),
      quantity: { type: 'integer', description: 'Quantity' },
      price: { type: 'number', description: 'Price of one unit' },
      amount: { type: 'number', description: 'Amount of the line' },
    },
  };
  const rows: JsonObject = { type: 'array', description: 'All orders', items: item };
  if (layout !== 'grouped') return { type: 'object', properties: { orders: rows } };
  const group: JsonObject = { type: 'object', properties: { region: text('Region'), orders: rows } };
  return {
    type: 'object',
    properties: { regions: { type: 'array', description: 'Regions with their orders', items: group } },
  };
}

/** Draws rows from the top down, page after page. */
class ListPrinter {
  private pages = 0;
  private y = 0;
  private readonly columns: readonly Column[];
  private readonly isRuled: boolean;

  constructor(
    private readonly pdf: Drawing,
    private readonly plan: ListPlan,
    private readonly style: Style,
    private readonly random: () => number,
  ) {
    this.columns = COLUMNS.filter(({ key }) => key !== 'number' || style.isNumbered);
    this.isRuled = plan.layout === 'ruled';
  }

  /** @returns the number of pages */
  print(rows: readonly ListedRow[], hidden: ReadonlySet<number>): number {
    this.nextPage(true, rows.length);
    let region = '';
    rows.forEach((row, at) => {
      if (this.plan.layout === 'grouped' && row.region !== region) this.heading((region = row.region));
      if (this.plan.damage === 'gap' && hidden.has(at)) return;
      this.row(row, hidden.has(at));
    });
    if (this.style.hasTotal) this.total();
    return this.pages;
  }

  private nextPage(isFirst: boolean, rows: number): void {
    this.pdf.addPage().fontSize(SIZE);
    this.pages += 1;
    this.y = PAGE.top;
    this.text(`Page ${this.pages}`, PAGE.left, 776, 528, 'right');
    this.text('Order list 2023', PAGE.left, 24, 200, 'left');
    if (isFirst) {
      if (this.style.isCounted) this.text(`${rows} orders`, PAGE.left, 40, 200, 'left');
    }
    if (isFirst || this.style.repeatsHeader) this.header();
  }

  private header(): void {
    this.pdf.font('Helvetica-Bold');
    for (const { title, left, width, align } of this.columns) this.text(title, left, this.y + PADDING, width, align);
    this.pdf.font('Helvetica');
    this.close(1);
  }

  private heading(region: string): void {
    this.room(3);
    this.pdf.font('Helvetica-Bold');
    this.text(`Region: ${region}`, PAGE.left, this.y + PADDING, 300, 'left');
    this.pdf.font('Helvetica');
    this.close(1);
  }

  private total(): void {
    this.room(1);
    this.pdf.font('Helvetica-Bold');
    this.text('Total', 386, this.y + PADDING, 60, 'left');
    this.text('1,234,567.00', 498, this.y + PADDING, 66, 'right');
    this.pdf.font('Helvetica');
    this.close(1);
  }

  private row(row: ListedRow, isHidden: boolean): void {
    const lines = wrapped(this.pdf, row.description, 136);
    this.room(lines.length);
    const words = (text: string): string =>
      this.plan.damage === 'unreadable' && isHidden ? garbled(text, this.random) : text;
    const isGone = this.plan.damage === 'gone' && isHidden;
    for (const { key, left, width, align } of isGone ? [] : this.columns) {
      const said = key === 'description' ? lines : [String(row[key])];
      said.forEach((text, at) => this.text(words(text), left, this.y + PADDING + at * LEADING, width, align));
    }
    this.close(lines.length);
  }

  private room(lines: number): void {
    if (this.y + lines * LEADING + PADDING * 2 > PAGE.bottom) this.nextPage(false, 0);
  }

  /** Goes on below so many lines, with ruling lines around them where the layout has some. */
  private close(lines: number): void {
    const height = lines * LEADING + PADDING * 2 - (LEADING - SIZE);
    if (this.isRuled) {
      const edges = [...this.columns.map(({ left }) => left - 3), PAGE.right + 3];
      this.pdf.lineWidth(0.5);
      for (const x of edges) this.pdf.moveTo(x, this.y).lineTo(x, this.y + height);
      for (const y of [this.y, this.y + height]) this.pdf.moveTo(edges[0] ?? 0, y).lineTo(PAGE.right + 3, y);
      this.pdf.stroke();
    }
    this.y += height;
  }

  private text(text: string, left: number, top: number, width: number, align: 'left' | 'right'): void {
    const x = align === 'left' ? left : left + width - this.pdf.widthOfString(text);
    this.pdf.text(text, x, top, { lineBreak: false });
  }
}

function wrapped(pdf: Drawing, text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last === undefined || pdf.widthOfString(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** What recognition makes of words that nobody can read. */
function garbled(text: string, random: () => number): string {
  return text.replaceAll(/[^ ]/gu, () => '|:;~^*_'[Math.floor(random() * 7)] ?? '~');
}
