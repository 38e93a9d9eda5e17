import type { Drawing } from '../../parsing/generated-files.js';

export interface Column {
  title: string;
  width: number;
  align?: 'left' | 'right';
}

export interface TableStyle {
  x: number;
  y: number;
  rowHeight?: number;
  ruled?: boolean;
  size?: number;
}

/** Draws a table of one-line cells, with or without ruling lines. @returns where it ends, in points from the top */
export function drawTable(
  drawing: Drawing,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { x, y, rowHeight = 18, ruled = false, size = 9 }: TableStyle,
): number {
  const all = [columns.map(({ title }) => title), ...rows];
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  for (const [at, row] of all.entries()) {
    const top = y + at * rowHeight;
    drawing.font(at === 0 ? 'Helvetica-Bold' : 'Helvetica').fontSize(size);
    let left = x;
    for (const [index, column] of columns.entries()) {
      const options = { width: column.width - 8, align: column.align ?? 'left', lineBreak: false } as const;
      drawing.text(row[index] ?? '', left + 4, top + 4, options);
      left += column.width;
    }
    if (ruled || at === 0)
      drawing
        .moveTo(x, top + rowHeight)
        .lineTo(x + width, top + rowHeight)
        .lineWidth(0.5)
        .stroke();
  }
  const bottom = y + all.length * rowHeight;
  if (ruled) {
    let left = x;
    for (const edge of [0, ...columns.map((column) => column.width)]) {
      left += edge;
      drawing.moveTo(left, y).lineTo(left, bottom).stroke();
    }
    drawing
      .moveTo(x, y)
      .lineTo(x + width, y)
      .stroke();
  }
  return bottom;
}

/** Labels with their values to the right of them, one below the other. @returns where they end */
export function drawPairs(
  drawing: Drawing,
  pairs: readonly (readonly [label: string, value: string])[],
  { x, y, gap = 110, step = 16 }: { x: number; y: number; gap?: number; step?: number },
): number {
  for (const [at, [label, value]] of pairs.entries()) {
    drawing
      .font('Helvetica')
      .fontSize(9)
      .text(label, x, y + at * step, { lineBreak: false });
    drawing.text(value, x + gap, y + at * step, { lineBreak: false });
  }
  return y + pairs.length * step;
}

/** Labels in small letters with their values below them, side by side. @returns where they end */
export function drawBoxes(
  drawing: Drawing,
  pairs: readonly (readonly [label: string, value: string])[],
  { x, y, width = 130 }: { x: number; y: number; width?: number },
): number {
  for (const [at, [label, value]] of pairs.entries()) {
    const left = x + at * width;
    drawing.font('Helvetica').fontSize(7).text(label, left, y, { lineBreak: false });
    drawing
      .font('Helvetica')
      .fontSize(10)
      .text(value, left, y + 11, { lineBreak: false });
  }
  return y + 34;
}
