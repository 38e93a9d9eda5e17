import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import type { Format } from '../../../src/platform/parsing/sniff-request.js';
import { testJail } from '../../support/parsing/jail.js';
import { frame, plainWorkbook } from '../../support/parsing/plain-workbook.js';
import type { ZipEntry } from '../../support/parsing/write-zip.js';
import { repeatedEntry, writeZip, zipEntry } from '../../support/parsing/write-zip.js';

const MIB = 1024 * 1024;
const LAUGHS = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY lol${at + 1} "${`&lol${at === 0 ? '' : at};`.repeat(10)}">`).join('')}]>`;
/** Inflates to about 150 times its size: under the ratio that is allowed. */
const DENSE = Buffer.concat(Array.from({ length: 56 }, () => Buffer.concat([randomBytes(900), Buffer.alloc(149_000)])));

describe('spreadsheets that are made to harm their reader', () => {
  const reader = new DocumentReader(testJail());
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'docsvc-bombs-'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const archive = (name: string, entries: ZipEntry[]): string => {
    const path = join(folder, name);
    writeZip(path, entries);
    return path;
  };
  const failureOf = async (path: string, format: Format = 'xlsx') => {
    const began = Date.now();
    const { failure } = await reader.inspect(path, format);
    expect(Date.now() - began).toBeLessThan(50_000);
    return failure;
  };

  it('an archive compressed more than 200 times is not opened', async () => {
    const path = archive('ratio.xlsx', [...frame(), zipEntry('xl/worksheets/sheet1.xml', Buffer.alloc(64 * MIB, ' '))]);
    expect(await failureOf(path)).toMatchObject({ kind: 'limit', limit: 'compression_ratio' });
  });

  it('an entry may not be larger than 512 MiB', async () => {
    const path = archive('entry.xlsx', [...frame(), repeatedEntry('xl/media/1.bin', DENSE, 65)]);
    expect(await failureOf(path)).toMatchObject({ kind: 'limit', limit: 'entry_bytes' });
  });

  it('all entries together may not be larger than 2 GiB', async () => {
    const entry = repeatedEntry('', DENSE, 56);
    const entries = [1, 2, 3, 4, 5].map((number) => ({ ...entry, name: `xl/media/${number}.bin` }));
    expect(await failureOf(archive('total.xlsx', [...frame(), ...entries]))).toMatchObject({
      kind: 'limit',
      limit: 'archive_bytes',
    });
  });

  it('an archive says 10,001 entries and is not opened', async () => {
    const entries = Array.from({ length: 10_001 }, (_, at) => zipEntry(`xl/media/${at}.txt`, 'x'));
    expect(await failureOf(archive('entries.xlsx', [...frame(), ...entries]))).toMatchObject({
      kind: 'limit',
      limit: 'entries',
    });
  });

  it('an archive inside is not opened, whatever its name', async () => {
    const inner = archive('inner.bin', [zipEntry('a', 'b')]);
    const content = readFileSync(inner);
    for (const name of ['xl/embeddings/inner.zip', 'xl/media/picture.png']) {
      const path = archive('nested.xlsx', [...frame(), zipEntry(name, content)]);
      expect(await failureOf(path)).toMatchObject({ kind: 'limit', limit: 'nested_archive' });
    }
  });

  it('XML with entities of its own is not read, in any encoding', async () => {
    expect(await failureOf(archive('laughs.xlsx', plainWorkbook('<sheetData/>', LAUGHS)))).toMatchObject({
      kind: 'limit',
      limit: 'entities',
    });
    const wide = zipEntry('xl/styles.xml', Buffer.from(`\ufeff${LAUGHS}<styleSheet/>`, 'utf16le'));
    expect(await failureOf(archive('wide.xlsx', [...plainWorkbook('<sheetData/>'), wide]))).toMatchObject({
      limit: 'entities',
    });
    const external = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>';
    expect(await failureOf(archive('external.xlsx', plainWorkbook('<sheetData/>', external)))).toMatchObject({
      limit: 'entities',
    });
  });

  it('an archive that lies about its sizes, or is cut, is broken', async () => {
    const entry = { ...zipEntry('xl/worksheets/sheet1.xml', Buffer.alloc(4 * MIB, 'x')), size: 10 };
    expect(await failureOf(archive('lie.xlsx', [...frame(), entry]))).toMatchObject({ kind: 'broken' });
    const cut = join(folder, 'cut.xlsx');
    writeFileSync(cut, 'PK\x03\x04 and nothing else');
    expect(await failureOf(cut)).toMatchObject({ kind: 'broken' });
  });

  it('a million empty cells cost no page', async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => `<row r="${at + 1}">${'<c s="0"/>'.repeat(100)}</row>`);
    const path = archive('empty.xlsx', plainWorkbook(`<sheetData>${rows.join('')}</sheetData>`));
    const { items, failure } = await reader.read(path, 'xlsx', { from: 1, to: 50 });
    expect(failure).toBeNull();
    expect(items).toMatchObject([{ page: { width: 1, height: 1, words: [] } }]);
  });

  it('a sheet that repeats one cell sixteen thousand million times ends by a limit', async () => {
    const content = `<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;
    const mime = zipEntry('mimetype', 'application/vnd.oasis.opendocument.spreadsheet');
    const path = archive('repeat.ods', [
      mime,
      zipEntry('content.xml', content),
      zipEntry('styles.xml', '<x/>'),
      zipEntry('META-INF/manifest.xml', '<x/>'),
    ]);
    const request = { do: 'read', from: 1, to: 1 };
    // With less memory than the jail gives, so that it is soon full.
    const limits = { memoryMb: 256, silenceMs: 30_000 };
    const { failure } = await testJail().run(
      { program: 'spreadsheet', document: path, request, limits },
      (item) => item,
    );
    expect(failure).toMatchObject({ kind: 'limit' });
  });

  it('a row without end is found before it is held', async () => {
    const path = join(folder, 'endless.csv');
    writeFileSync(path, Buffer.alloc(80 * MIB, 'a,b;'));
    const { items, failure } = await reader.read(path, 'csv', { from: 1, to: 1 });
    expect({ items, failure }).toMatchObject({ items: [], failure: { kind: 'limit', limit: 'line_bytes' } });
  });
});
