import type { FormField as ReadField, ParsedPage, TextItem, WordBox } from '@llamaindex/liteparse';
import type { Box } from '../../../../domain/page-model.js';
import { type PlacedWord, type TextRun, unionOf } from '../../../../domain/layout/text-run.js';

/** Confidence of a text layer: what it says is what its author put there, save for wrong tables of characters. */
const TEXT_LAYER = 0.99;
/** Degrees by which upright text may lean. */
const LEAN = 3;

/** The runs of a page's text layer and of what its form's fields hold. */
export function runsOf(page: ParsedPage): TextRun[] {
  const { width, height } = page;
  const visible = ({ box }: { box: Box }): boolean => {
    const [x, y] = [box[0] + box[2] / 2, box[1] + box[3] / 2];
    return x >= 0 && x <= width && y >= 0 && y <= height;
  };
  const items = page.textItems.map(runOfItem);
  const form = page.formFields ?? [];
  const fields = (form.some(isFilled) ? form : []).map(runOfField);
  return [...items, ...fields]
    .map((run) => (run.words.every(visible) ? run : { ...run, words: run.words.filter(visible) }))
    .filter((run) => run.words.length > 0);
}

function runOfItem(item: TextItem): TextRun {
  const angle = (((item.rotation ?? 0) % 360) + 360) % 360;
  const upright = angle <= LEAN || angle >= 360 - LEAN;
  const boxes = upright ? wordBoxes(item) : joinLetters(wordBoxes(item), angle);
  const size = fontSizeOf(item, upright);
  const bold = (item.fontWeight ?? 0) >= 600 || /bold|black|heavy/i.test(item.fontName ?? '');
  const words: PlacedWord[] = [];
  for (const { text, x, y, width, height } of boxes) {
    const clean = cleanText(text);
    if (clean === '') continue;
    const word: PlacedWord = { text: clean, box: [x, y, width, height], source: 'text_layer', confidence: TEXT_LAYER };
    if (size !== null) word.fontSize = size;
    if (bold) word.bold = true;
    words.push(word);
  }
  return { box: [item.x, item.y, item.width, item.height], words, upright };
}

/** NFC, without blanks and characters that steer a terminal. */
const cleanText = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(/[\s\p{Cc}\u00ad\u200b-\u200f\ufeff]+/gu, '').normalize('NFC');
const PLAIN = /^[!-~]+$/;

function wordBoxes(item: TextItem): WordBox[] {
  if (item.words !== undefined && item.words.length > 0) return item.words;
  return sharedOut(item.text, [item.x, item.y, item.width, item.height]);
}

/** Words of a text that is known by one box alone: each gets its share of the width. */
function sharedOut(text: string, [x, y, width, height]: Box): WordBox[] {
  const letters = Math.max(1, text.length);
  return [...text.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    x: x + (width * match.index) / letters,
    y,
    width: (width * match[0].length) / letters,
    height,
  }));
}

/** Text that runs up or down comes letter by letter; those that touch are one word. */
function joinLetters(letters: readonly WordBox[], angle: number): WordBox[] {
  const upOrDown = Math.abs(Math.sin((angle * Math.PI) / 180)) > 0.7;
  const words: WordBox[] = [];
  for (const letter of letters) {
    const last = words.at(-1);
    const gap =
      last === undefined ? Infinity : upOrDown ? gapOf(last, letter, 'y', 'height') : gapOf(last, letter, 'x', 'width');
    const size = upOrDown ? letter.width : letter.height;
    if (last === undefined || gap > size * 0.15) words.push({ ...letter });
    else {
      const box = (word: WordBox): Box => [word.x, word.y, word.width, word.height];
      const [x, y, width, height] = unionOf([box(last), box(letter)]);
      words[words.length - 1] = { text: last.text + letter.text, x, y, width, height };
    }
  }
  return words;
}

function gapOf(a: WordBox, b: WordBox, at: 'x' | 'y', size: 'width' | 'height'): number {
  return Math.max(a[at], b[at]) - Math.min(a[at] + a[size], b[at] + b[size]);
}

/** The size as printed. Where the page is scaled the font's own size says nothing, and the height of the line is taken. */
function fontSizeOf(item: TextItem, upright: boolean): number | null {
  const high = upright ? item.height : item.width;
  if (item.fontSize === undefined || high <= 0) return null;
  const fits = high / item.fontSize > 0.6 && high / item.fontSize < 1.6;
  return Math.round((fits ? item.fontSize : high) * 10) / 10;
}

/** What is filled into a field stands on the page like words, in its own box. */
function runOfField(field: ReadField): TextRun {
  const box: Box = field.rect === undefined ? [0, 0, 0, 0] : boxOf(field.rect);
  const words = sharedOut(field.rect === undefined ? '' : writtenIn(field).normalize('NFC'), box).flatMap(
    (word): PlacedWord[] => {
      const text = cleanText(word.text);
      return text === '' ? [] : [{ text, box: boxOf(word), source: 'form_field', confidence: TEXT_LAYER }];
    },
  );
  return { box, words, upright: true };
}

/** A form that nobody has filled in says nothing, by its open boxes neither. */
function isFilled({ type, value, checked }: ReadField): boolean {
  return type === 'checkbox' || type === 'radio' ? checked === true : (value ?? '').trim() !== '';
}

/** Boxes to tick are the signs by which other documents print them. */
function writtenIn({ type, value, checked }: ReadField): string {
  if (type === 'checkbox' || type === 'radio') return checked === true ? '☑' : '☐';
  return ['text', 'combobox', 'listbox'].includes(type) ? (value ?? '') : '';
}

export const boxOf = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }): Box => [
  x,
  y,
  width,
  height,
];
