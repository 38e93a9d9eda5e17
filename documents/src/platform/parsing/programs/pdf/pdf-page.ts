import type { FormField as ReadField, ParsedPage } from '@llamaindex/liteparse';
import { assembleText, fraction, toFractions } from '../../../../domain/layout/assemble-text.js';
import type { Box, FormField, Page, Rule } from '../../../../domain/page-model.js';
import { boxOf, runsOf } from './pdf-runs.js';

/** More ruling lines than this are a drawing, of which the first are kept. */
const MAX_RULES = 4000;
/** Shorter lines, in points, are dots of a dotted line or parts of letters. */
const SHORTEST_RULE = 4;

export interface PdfPageParts {
  parsed: ParsedPage;
  rotation: Page['rotation'];
  /** Places of pictures in points, as the reader gives them. */
  images: readonly Box[];
}

/** A page of a PDF as its text layer, drawing and form say it. */
export function pdfPage({ parsed, rotation, images }: PdfPageParts): Page {
  const { width, height } = parsed;
  return {
    pageNumber: parsed.pageNum,
    ...(parsed.pageLabel === undefined || parsed.pageLabel === String(parsed.pageNum)
      ? {}
      : { label: parsed.pageLabel }),
    width: round(width),
    height: round(height),
    unit: 'pt',
    rotation,
    source: 'text_layer',
    ocrConfidence: null,
    ...assembleText(runsOf(parsed), width, height),
    rules: rulesOf(parsed),
    fields: (parsed.formFields ?? []).flatMap((field) => fieldOf(field, width, height)),
    images: images.map((box) => toFractions(box, width, height)).filter((box) => box[2] > 0 && box[3] > 0),
    tables: [],
    warnings: [],
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;

function rulesOf({ vectorGraphics, width, height }: ParsedPage): Rule[] {
  const rules: Rule[] = [];
  for (const { x1, y1, x2, y2 } of vectorGraphics?.lines ?? []) {
    if (rules.length === MAX_RULES) break;
    if (Math.hypot(x2 - x1, y2 - y1) < SHORTEST_RULE) continue;
    const inside =
      Math.max(x1, x2) >= 0 && Math.min(x1, x2) <= width && Math.max(y1, y2) >= 0 && Math.min(y1, y2) <= height;
    if (!inside) continue;
    rules.push({
      x1: fraction(Math.min(x1, x2), width),
      y1: fraction(Math.min(y1, y2), height),
      x2: fraction(Math.max(x1, x2), width),
      y2: fraction(Math.max(y1, y2), height),
    });
  }
  return rules;
}

const FIELD_KINDS: Readonly<Record<string, FormField['kind']>> = {
  text: 'text',
  checkbox: 'checkbox',
  radio: 'radio',
  combobox: 'choice',
  listbox: 'choice',
  signature: 'signature',
};

/** A field of a form; buttons are none. */
function fieldOf(field: ReadField, width: number, height: number): FormField[] {
  const kind = FIELD_KINDS[field.type];
  if (kind === undefined || field.rect === undefined) return [];
  const box = toFractions(boxOf(field.rect), width, height);
  return [{ name: (field.name ?? field.id).normalize('NFC'), kind, value: valueOf(field, kind), box }];
}

function valueOf(field: ReadField, kind: FormField['kind']): string | null {
  if (kind === 'checkbox' || kind === 'radio')
    return field.checked === true ? (field.exportValue ?? field.value ?? 'On').normalize('NFC') : null;
  const value = (field.value ?? '').trim();
  return value === '' ? null : value.normalize('NFC');
}
