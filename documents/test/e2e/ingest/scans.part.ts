import { beforeAll, expect, it } from '@jest/globals';
import type { LiveApi } from '../../support/installation/live-api.js';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';
import { DocumentFolder } from '../../support/parsing/document-folder.js';
import { drawnPdf } from '../../support/parsing/generated-files.js';

const LINES = [
  'Delivery note of the northern harbour',
  'seventeen crates of oranges from Valencia',
  'eleven barrels of olive oil from Crete',
  'signed by the master of the vessel',
  'counted again before the customs officer',
];
const TOP = 60;
const STEP = 40;
/** The page in points, on which line `n` stands at `TOP + n * STEP`. */
const SIZE: [number, number] = [600, 400];
const DPI = 200;

interface BoxBody {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Found {
  documentId: string;
  pageNumber: number;
  excerpt: string;
  citations: { pageNumber: number; source: string; excerpt: string; boundingBoxes: BoxBody[] }[];
}

interface PageBody {
  source: string;
  text: string;
  words: { text: string; box: BoxBody }[];
}

/** What a scanner makes of the lines. */
async function scan(): Promise<Buffer> {
  using folder = new DocumentFolder();
  const drawn = await drawnPdf(
    (drawing) => {
      LINES.forEach((line, index) => drawing.fontSize(16).text(line, 60, TOP + index * STEP, { lineBreak: false }));
    },
    { size: SIZE },
  );
  const { items } = await folder.reader.render(folder.put(drawn), 'pdf', { pageNumber: 1, dpi: DPI });
  return Buffer.from(items[0]?.png ?? '', 'base64');
}

/** A scan, from its upload to its words. */
export function readsScans(enter: Enter): void {
  let live: LivePipeline;
  let api: LiveApi;
  let picture: Buffer;

  beforeAll(async () => {
    [{ live, api }, picture] = await Promise.all([enter(), scan()]);
  });

  const find = async (query: string, documentId: string): Promise<Found[]> => {
    const body = JSON.stringify({ query, includeCitations: true, filters: { documentIds: [documentId] } });
    const path = `/api/projects/${live.org.projectId}/search`;
    return (await api.ask<{ results: Found[] }>(path, { method: 'POST', body })).body.results;
  };

  /** The scan on the second page, behind one that has a text of its own. */
  const scannedPdf = (): Promise<Buffer> =>
    drawnPdf(
      (drawing) => {
        drawing.fontSize(12).text('A cover sheet with a text of its own, typed on the day of arrival', 60, 60);
        drawing.addPage({ size: SIZE, margin: 0 });
        drawing.image(picture, 0, 0, { width: SIZE[0], height: SIZE[1] });
      },
      { size: SIZE },
    );

  it.each([
    ['a picture', 'note.png', 1],
    ['a page of a PDF', 'note.pdf', 2],
  ])(
    'DI-005 DI-020 %s is recognized, ready, and found with its page and where the words are',
    async (_, name, page) => {
      const { documentId, versionId } = await api.add(name, name.endsWith('.png') ? picture : await scannedPdf());
      expect(await live.untilTerminal(versionId)).toMatchObject({ status: 'ready', pages_total: page });
      const { body } = await api.ask<PageBody>(`/api/documents/${documentId}/pages/${page}?include=words`);
      expect(body.source).toBe('ocr');
      const [first] = await find('barrels of olive oil', documentId);
      expect(first).toMatchObject({ documentId, pageNumber: page, excerpt: expect.stringContaining('olive oil') });
      const boxes = first?.citations.flatMap(({ boundingBoxes }) => boundingBoxes) ?? [];
      expect(first?.citations).toContainEqual(expect.objectContaining({ pageNumber: page, source: 'ocr' }));
      // The third line, and nothing of the lines above and below it.
      const line = { from: (TOP + 2 * STEP - 8) / SIZE[1], to: (TOP + 3 * STEP - 8) / SIZE[1] };
      expect(boxes.length).toBeGreaterThan(0);
      for (const { x, y, width, height } of boxes) {
        expect(y).toBeGreaterThan(line.from);
        expect(y + height).toBeLessThan(line.to);
        expect(x).toBeGreaterThan(50 / SIZE[0]);
        expect(x + width).toBeLessThan(0.8);
      }
      expect(await find('submarine periscope', documentId)).toEqual([]);
    },
  );
}
