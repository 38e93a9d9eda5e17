import { assembleText, toFractions } from '../../../../domain/layout/assemble-text.js';
import type { TextRun } from '../../../../domain/layout/text-run.js';
import { boxBeforeTurn, type Size } from '../../../../domain/layout/turned-picture.js';
import type { Box, Page } from '../../../../domain/page-model.js';
import { findTables } from '../../../../domain/tables/find-tables.js';
import type { Reading } from './read-picture.js';

/** A page whose text was read off its picture alone: in the order of the picture as it was turned, with boxes of the page as it is displayed. */
export function recognizedPage(page: Page, reading: Reading, picture: Size): Page {
  const { turn, turned } = reading;
  const assembled = assembleText(reading.runs, turned.width, turned.height);
  const displayed = (box: Box): Box => {
    const pixels = [
      box[0] * turned.width,
      box[1] * turned.height,
      box[2] * turned.width,
      box[3] * turned.height,
    ] as const;
    return toFractions(boxBeforeTurn(pixels, turn, picture, turned), picture.width, picture.height);
  };
  const words = assembled.words.map((word) => ({ ...word, box: displayed(word.box) }));
  const lines = assembled.lines.map((line) => ({ ...line, box: displayed(line.box) }));
  const read: Page = {
    ...page,
    text: assembled.text,
    words,
    lines,
    source: 'ocr',
    ocrConfidence: rounded(reading.confidence),
  };
  return { ...read, tables: findTables(read) };
}

/** A page with a text layer whose pictures were read too. What the layer says already is not said again. */
export function mixedPage(page: Page, layer: readonly TextRun[], reading: Reading, picture: Size): Page {
  const scale = page.width / picture.width;
  const known = layer.flatMap((run) => run.words.map((word) => word.box));
  const isKnown = (box: Box): boolean => {
    const [x, y] = [box[0] + box[2] / 2, box[1] + box[3] / 2];
    return known.some(
      (other) => x >= other[0] && x <= other[0] + other[2] && y >= other[1] && y <= other[1] + other[3],
    );
  };
  const onPage = (box: Box): Box => {
    const [x, y, width, height] = boxBeforeTurn(box, reading.turn, picture, reading.turned);
    return [x * scale, y * scale, width * scale, height * scale];
  };
  const read = reading.runs.flatMap((run): TextRun[] => {
    const words = run.words.map((word) => ({ ...word, box: onPage(word.box) })).filter((word) => !isKnown(word.box));
    return words.length === 0 ? [] : [{ box: onPage(run.box), words, upright: reading.turn.quarters === 0 }];
  });
  const assembled = assembleText([...layer, ...read], page.width, page.height);
  const mixed: Page = {
    ...page,
    ...assembled,
    source: read.length === 0 ? page.source : 'mixed',
    ocrConfidence: read.length === 0 ? null : rounded(reading.confidence),
  };
  return { ...mixed, tables: findTables(mixed) };
}

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 1e4) / 1e4);
