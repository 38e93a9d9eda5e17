import { makePdf } from './make-pdf.js';

/** As many digits as a mark has. */
const PLACE = '0'.repeat(18);

/**
 * PDFs that differ by a mark alone, which is eighteen digits: one is made, the others are copies with their mark in its place, which takes a
 * hundredth of the time.
 *
 * @param pagesOf lines of the pages for a mark
 * @param unusedBytes in it of which no page knows
 */
export async function markedPdfs(
  pagesOf: (mark: string) => readonly (readonly string[])[],
  unusedBytes: number,
): Promise<(mark: string) => Buffer> {
  const first = await makePdf(pagesOf(PLACE), { unusedBytes, isPacked: false });
  const places = placesOf(hexOf(PLACE), first);
  const lines = pagesOf(PLACE).flat().length;
  if (places.length !== lines) throw new Error(`the mark was found ${places.length} times in ${lines} lines`);
  return (mark) => {
    const copy = Buffer.from(first);
    for (const at of places) copy.write(hexOf(mark), at, 'latin1');
    return copy;
  };
}

/** As text stands in a PDF. */
const hexOf = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

function placesOf(sought: string, bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(sought); at !== -1; at = bytes.indexOf(sought, at + sought.length)) places.push(at);
  return places;
}
