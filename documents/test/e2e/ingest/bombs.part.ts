import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LivePipeline } from '../../support/installation/live-pipeline.js';
import type { Enter } from '../../support/installation/share-deployment.js';
import { onePage, packedZeros, pdfOfPages, pngOfSize } from '../../support/parsing/generated-files.js';
import { plainWorkbook } from '../../support/parsing/plain-workbook.js';
import { repeatedEntry, writeZip, type ZipEntry } from '../../support/parsing/write-zip.js';

const MIB = 1024 * 1024;
const LONGEST_MS = 60_000;
/** On a machine that does other things meanwhile. */
const SLOWNESS = Number(process.env['TEST_SLOWNESS'] ?? 1);

/** Documents that are made to exhaust the service. */
export function endsBombs(enter: Enter): void {
  let live: LivePipeline;
  let folder: string;

  beforeAll(async () => {
    ({ live } = await enter());
    folder = mkdtempSync(join(tmpdir(), 'bombs-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function zipped(entries: readonly ZipEntry[]): Buffer {
    const path = join(folder, 'bomb.zip');
    writeZip(path, entries);
    return readFileSync(path);
  }

  const layers = (): Buffer =>
    onePage({ dictionary: `/Filter [${'/FlateDecode '.repeat(65)}]`, data: packedZeros(MIB, 3) });
  const ratio = (): Buffer =>
    zipped([...plainWorkbook('<row r="1"/>'), repeatedEntry('xl/media/zeros.bin', Buffer.alloc(MIB), 300)]);
  const entity = (): Buffer =>
    zipped(plainWorkbook('<row r="1"/>', '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'));

  it.each<[string, string, () => Buffer, object]>([
    [
      'a workbook that unpacks 1,000-fold',
      'ratio.xlsx',
      ratio,
      { status: 'quarantined', error: { code: 'limit_exceeded' } },
    ],
    [
      'a PDF of 20,001 pages',
      'pages.pdf',
      () => pdfOfPages(20_001),
      { status: 'failed', error: { code: 'too_many_pages' } },
    ],
    ['a stream of 65 layers', 'layers.pdf', layers, { status: 'quarantined', error: { code: 'limit_exceeded' } }],
    [
      'a picture of 100 gigapixels',
      'huge.png',
      () => pngOfSize(316_228, 316_228),
      { status: 'quarantined', error: { code: 'limit_exceeded' } },
    ],
    ['a workbook with entities, which are expanded nowhere', 'entity.xlsx', entity, { stage: null }],
  ])(
    'DI-005 %s: ends in a named state within a minute, and the worker lives',
    async (_, name, make, end) => {
      const bytes = make();
      const begun = Date.now();
      const { versionId } = await live.upload(name, bytes);
      expect(await live.untilTerminal(versionId, LONGEST_MS * SLOWNESS)).toMatchObject(end);
      expect(Date.now() - begun).toBeLessThan(LONGEST_MS * SLOWNESS);
      expect(await live.events(versionId)).toHaveLength(1);
      expect(live.workerLives).toBe(true);
    },
    LONGEST_MS * 3,
  );
}
