import { afterAll, describe, expect, it } from '@jest/globals';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import { Reading } from '../../../src/domain/extraction/model/reading.js';
import { normalizeSchema } from '../../../src/domain/schemas/normal-schema.js';
import { DocumentFolder } from '../../support/parsing/document-folder.js';
import { drawnPdf } from '../../support/parsing/generated-files.js';

const folder = new DocumentFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

/** A ticked box: the generator itself makes open ones alone. */
function tickedBox(pdf: PDFKit.PDFDocument, x: number, y: number): void {
  const tick = pdf.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 14, 14] });
  tick.end(Buffer.alloc(0));
  // A bare string is written as a name, an object of one as a text.
  const name = Object('ticked') as string;
  const look = { AP: { N: { Yes: tick } }, AS: 'Yes', V: 'Yes' };
  pdf.annotate(x, y, 14, 14, {
    Subtype: 'Widget',
    FT: 'Btn',
    T: name,
    F: 4,
    ...look,
  } as PDFKit.Mixins.AnnotationOption);
  const { _root: root, page } = pdf as unknown as {
    _root: { data: { AcroForm: { data: { Fields: unknown[] } } } };
    page: { annotations: unknown[] };
  };
  root.data.AcroForm.data.Fields.push(page.annotations.at(-1));
}

const ROOT = normalizeSchema({
  type: 'object',
  properties: {
    a: { type: ['string', 'null'], description: 'Policy number.' },
    b: { type: ['string', 'null'], enum: ['monthly', 'yearly'], description: 'Payment interval.' },
    c: { type: ['boolean', 'null'], description: 'Smoker.' },
    d: { type: ['boolean', 'null'], description: 'Married.' },
  },
});

describe('fields of a form of a PDF', () => {
  it('give their texts, choices and ticks, cited in their boxes; what is not ticked is no', async () => {
    const page = await folder.page(
      await drawnPdf((pdf) => {
        pdf.font('Helvetica').fontSize(12).initForm();
        for (const [at, label] of ['Policy number', 'Payment interval', 'Smoker', 'Married'].entries())
          pdf.text(label, 50, 100 + at * 30, { lineBreak: false });
        pdf.formText('f1', 180, 97, 150, 18, { value: 'PX-33871' });
        pdf.formCombo('f2', 180, 127, 150, 18, {
          select: ['monthly', 'yearly'],
          value: 'yearly',
          defaultValue: 'yearly',
        });
        pdf.formCheckbox('f3', 180, 157, 14, 14);
        tickedBox(pdf, 180, 187);
      }),
    );
    const { data, fields } = extractDocument({ root: ROOT }, new Reading([page], [], 1));
    expect(data).toMatchObject({ a: 'PX-33871', b: 'yearly', c: false, d: true });
    expect(fields['/a']?.citations[0]).toMatchObject({ pageNumber: 1, source: 'form_field' });
    expect(fields['/c']?.citations[0]?.boundingBoxes[0]?.x).toBeCloseTo(180 / page.width, 2);
  });
});
