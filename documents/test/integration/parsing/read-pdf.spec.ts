import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DocumentFolder } from '../../support/parsing/document-folder.js';
import { drawnPdf, onePage, pdfOfPages, rawPdf } from '../../support/parsing/generated-files.js';

const folder = new DocumentFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

import { joinedTables } from '../../support/documents/joined-tables.js';

describe('the words of a PDF', () => {
  it('DI-005 stand where they were drawn, each with its place in the text', async () => {
    const places = fc.sample(fc.uniqueArray(fc.integer({ min: 0, max: 399 }), { minLength: 60, maxLength: 60 }), {
      seed: 7,
      numRuns: 1,
    })[0];
    const drawn = (places ?? []).map((place, index) => ({
      text: `word${String(index)}`,
      x: 20 + (place % 8) * 72,
      y: 20 + Math.floor(place / 8) * 15,
    }));
    const page = await folder.page(
      await drawnPdf((pdf) => {
        for (const { text, x, y } of drawn) pdf.fontSize(10).text(text, x, y, { lineBreak: false });
      }),
    );
    expect(page).toMatchObject({
      pageNumber: 1,
      width: 600,
      height: 800,
      unit: 'pt',
      rotation: 0,
      source: 'text_layer',
    });
    for (const { text, x, y } of drawn) {
      const word = page.words.find((one) => one.text === text);
      expect(word?.box[0]).toBeCloseTo(x / 600, 2);
      expect((word?.box[1] ?? 0) + (word?.box[3] ?? 0) / 2).toBeCloseTo((y + 5.5) / 800, 2);
      expect(word).toMatchObject({ source: 'text_layer', confidence: 0.99, fontSize: 10 });
      expect(page.text.slice(word?.from, word?.to)).toBe(text);
    }
  });

  it('are the same bytes for the same document, alone or among others', async () => {
    const pdf = await drawnPdf((drawing) => {
      for (let page = 1; page <= 30; page += 1) {
        if (page > 1) drawing.addPage();
        for (let line = 0; line < 30; line += 1)
          drawing.text(`page ${String(page)} line ${String(line)} of some words`, 40, 40 + line * 20);
      }
    });
    const [whole, again] = [await folder.pages(pdf, 30), await folder.pages(pdf, 30)];
    expect(JSON.stringify(again)).toBe(JSON.stringify(whole));
    const alone = await folder.reader.read(folder.put(pdf), 'pdf', { from: 17, to: 17 });
    expect(alone.items).toEqual([{ page: whole[16], needsOcr: false }]);
  });

  it('are the same in any order of batches, whatever pages the reader had begun with', async () => {
    const pdf = await drawnPdf((drawing) => {
      for (let page = 1; page <= 40; page += 1) {
        if (page > 1) drawing.addPage();
        drawing.text(`this is page ${String(page)}`, 40, 40);
      }
    });
    const whole = await folder.pages(pdf, 40);
    const file = folder.put(pdf);
    const spans = [
      [1, 10],
      [11, 20],
      [31, 40],
      [21, 23],
      [24, 30],
      [11, 12],
      [13, 40],
    ] as const;
    for (const [from, to] of spans) {
      const { items, failure } = await folder.reader.read(file, 'pdf', { from, to, isMoreToCome: true });
      expect(failure).toBeNull();
      expect(items).toEqual(whole.slice(from - 1, to).map((page) => ({ page, needsOcr: false })));
    }
    // Pages beyond the end were begun with; nobody asked for them.
    const { items } = await folder.reader.read(file, 'pdf', { from: 1, to: 2 });
    expect(items).toHaveLength(2);
    await folder.reader.close();
  });

  it('of a turned page stand on the page as it is displayed, those that run upwards are whole', async () => {
    const pdf = await drawnPdf((drawing) => {
      Reflect.set(drawing.page.dictionary.data, 'Rotate', 90);
      drawing.fontSize(12).text('corner', 0, 0, { lineBreak: false });
    });
    const page = await folder.page(pdf);
    expect(page).toMatchObject({ rotation: 90, width: 800, height: 600 });
    const [word] = page.words;
    expect(word?.text).toBe('corner');
    expect(word?.box[0]).toBeGreaterThan(0.97);
    expect(word?.box[1]).toBeLessThan(0.01);
    expect((word?.box[3] ?? 0) * 600).toBeGreaterThan(25);
  });

  it('of an encrypted document are given for its password alone', async () => {
    const pdf = await drawnPdf((drawing) => drawing.text('secret words', 40, 40), {
      userPassword: 'open sesame',
      pdfVersion: '1.7ext3',
    });
    const file = folder.put(pdf);
    for (const asked of [{}, { password: 'wrong' }]) {
      expect((await folder.reader.inspect(file, 'pdf', asked)).failure?.kind).toBe('password_required');
      expect((await folder.reader.read(file, 'pdf', { from: 1, to: 1, ...asked })).failure?.kind).toBe(
        'password_required',
      );
    }
    const [page] = await folder.pages(pdf, 1, 'pdf', 'open sesame');
    expect(page?.text).toBe('secret words');
  });

  it('of filled fields of a form are found like others, and the fields are listed', async () => {
    const pdf = await drawnPdf((drawing) => {
      drawing.font('Helvetica').initForm();
      drawing.text('Name:', 40, 42);
      drawing.formText('holder', 100, 40, 200, 20, { value: 'Ada Lovelace' });
      drawing.formCheckbox('agreed', 100, 80, 12, 12);
    });
    const page = await folder.page(pdf);
    expect(page.fields).toMatchObject([
      { name: 'holder', kind: 'text', value: 'Ada Lovelace' },
      { name: 'agreed', kind: 'checkbox', value: null },
    ]);
    expect(page.text).toBe('Name: Ada Lovelace\n☐');
    expect(page.words.at(-2)).toMatchObject({ text: 'Lovelace', source: 'form_field' });
    expect(page.words.at(-1)).toMatchObject({ text: '☐', source: 'form_field' });
  });

  it('are not there for the boxes of a form that nobody has filled in', async () => {
    const pdf = await drawnPdf((drawing) => {
      drawing.font('Helvetica').initForm();
      drawing.text('Agreed', 40, 42);
      drawing.formText('holder', 100, 100, 200, 20);
      drawing.formCheckbox('agreed', 100, 40, 12, 12);
    });
    expect((await folder.page(pdf)).text).toBe('Agreed');
  });
});

describe('tables of a PDF', () => {
  const rows = Array.from({ length: 90 }, (_, row) => [
    `Article ${String(row + 1)}`,
    `${String(row)} kg`,
    `${String(row * 7)}.25`,
  ]);

  it.each([
    ['ruled', true],
    ['aligned', false],
  ] as const)('that go over three pages are one, %s', async (found, ruled) => {
    const pdf = await drawnPdf((drawing) => {
      const [columns, edges] = [
        [40, 240, 400],
        [36, 230, 390, 500],
      ];
      for (let page = 0; page < 3; page += 1) {
        if (page > 0) drawing.addPage();
        drawing.font('Helvetica').fontSize(10).text('Price list of the year', 200, 20, { lineBreak: false });
        const lines = [['Article', 'Weight', 'Price'], ...rows.slice(page * 30, page * 30 + 30)];
        lines.forEach((cells, line) => {
          drawing.font(line === 0 ? 'Helvetica-Bold' : 'Helvetica');
          cells.forEach((cell, column) =>
            drawing.text(cell, columns[column] ?? 0, 60 + line * 20, { lineBreak: false }),
          );
          if (ruled) for (const edge of edges) drawing.moveTo(edge, 55 + line * 20).lineTo(edge, 75 + line * 20);
          if (ruled) drawing.moveTo(36, 55 + line * 20).lineTo(500, 55 + line * 20);
        });
        if (ruled)
          drawing
            .moveTo(36, 55 + lines.length * 20)
            .lineTo(500, 55 + lines.length * 20)
            .stroke();
        drawing.text(`Page ${String(page + 1)}`, 280, 770, { lineBreak: false });
      }
    });
    const [table, ...others] = await joinedTables(await folder.pages(pdf, 3));
    expect(others).toEqual([]);
    expect(table).toMatchObject({ found, firstPage: 1, lastPage: 3, headerRows: 1, rows: 91, columns: 3 });
    const texts = rows.flatMap((row) => row);
    expect(table?.cells.filter((cell) => cell.row > 0).map((cell) => cell.text)).toEqual(texts);
  });
});

describe('what a PDF asks for beside being shown', () => {
  it('scripts, programs to start and places to send to are ignored and said', async () => {
    const actions = [
      '<< /Type /Action /S /JavaScript /JS (app.alert(1)) >>',
      '<< /Type /Action /S /Launch /F (/bin/true) >>',
      '<< /Type /Action /S /SubmitForm /F (https://example.com) >>',
    ];
    const pdf = onePage({ dictionary: '', data: Buffer.from('BT ET') }, '', actions);
    const { items } = await folder.reader.inspect(folder.put(pdf), 'pdf');
    expect(items[0]?.warnings.map((warning) => warning.code)).toEqual([
      'scripts_ignored',
      'launch_ignored',
      'remote_actions_ignored',
    ]);
  });

  it('files that it carries are listed and not opened; an invoice as data is named', async () => {
    const pdf = await drawnPdf((drawing) => {
      drawing.file(Buffer.from('<invoice/>'), { name: 'factur-x.xml' });
      drawing.file(Buffer.from('notes'), { name: 'notes.txt' });
      drawing.text('An invoice', 40, 40);
    });
    const { items } = await folder.reader.inspect(folder.put(pdf), 'pdf');
    const said = Object.fromEntries((items[0]?.warnings ?? []).map(({ code, message }) => [code, message]));
    expect(said['embedded_files']).toMatch(/2 file\(s\).*"factur-x.xml".*"notes.txt"/);
    expect(said['hybrid_invoice']).toContain('"factur-x.xml"');
  });
});

describe('a PDF that is damaged', () => {
  it('one page that is not there is lost alone', async () => {
    const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>';
    const pdf = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R 99 0 R 4 0 R] /Count 3 >>',
      page,
      page,
    ]);
    const { items, failure } = await folder.reader.read(folder.put(pdf), 'pdf', { from: 1, to: 3 });
    expect(failure).toBeNull();
    expect(items.map((item) => ('failure' in item ? item.failure.kind : item.page.pageNumber))).toEqual([
      1,
      'broken',
      3,
    ]);
  });

  it('what is no PDF, is cut off, or empty is broken; pages past the end are none', async () => {
    const whole = pdfOfPages(2);
    for (const bytes of [Buffer.alloc(0), Buffer.from('%PDF-1.7\nnothing more'), whole.subarray(0, 30)])
      expect((await folder.reader.inspect(folder.put(bytes), 'pdf')).failure?.kind).toBe('broken');
    const { items, failure } = await folder.reader.read(folder.put(whole), 'pdf', { from: 2, to: 3 });
    expect(failure).toBeNull();
    expect(items.filter((item) => 'page' in item)).toHaveLength(1);
  });
});
