import type { JsonObject } from '../../../../../src/domain/json.js';
import type { Random } from '../../../bench/search/random.js';
import type { Drawing } from '../../parsing/generated-files.js';
import { drawTable } from './draw-table.js';
import { date, integer, listOf, number, objectOf, text, type Drawn, type GeneratedClass } from './generated-class.js';

type Field = readonly [key: string, label: string, node: JsonObject];
const yesNo = (description: string): JsonObject => ({ type: ['boolean', 'null'], description });

/** What forms of several offices ask. */
const FORMS: readonly { name: string; title: string; fields: readonly Field[]; columns: readonly string[] }[] = [
  {
    ...{ name: 'blank-application', title: 'APPLICATION FOR MEMBERSHIP', columns: ['Previous club', 'From', 'To'] },
    fields: [
      ['fullName', 'Full name', text('Full name of the applicant.')],
      ['birthDate', 'Date of birth', date('Date of birth of the applicant.')],
      ['email', 'E-mail address', { type: ['string', 'null'], format: 'email', description: 'E-mail address.' }],
      ['telephone', 'Telephone', text('Telephone number.')],
      ['postalAddress', 'Postal address', text('Postal address of the applicant.')],
      ['newsletter', 'I wish to receive the newsletter', yesNo('Whether the newsletter is wanted.')],
    ],
  },
  {
    ...{ name: 'blank-expenses', title: 'TRAVEL EXPENSE REPORT', columns: ['Date', 'Purpose', 'Amount'] },
    fields: [
      ['employee', 'Employee', text('Name of the employee.')],
      ['department', 'Department', text('Department of the employee.')],
      ['costCentre', 'Cost centre', text('Cost centre.')],
      ['departure', 'Date of departure', date('Date of departure.')],
      ['total', 'Total amount (EUR)', number('Total amount of the expenses.')],
      ['approved', 'Approved', yesNo('Whether the expenses are approved.')],
    ],
  },
  {
    ...{ name: 'blank-order', title: 'PURCHASE ORDER', columns: ['Article', 'Quantity', 'Unit price', 'Amount'] },
    fields: [
      ['orderNumber', 'Order number', text('Number of the purchase order.')],
      ['supplier', 'Supplier', text('Name of the supplier.')],
      ['orderDate', 'Order date', date('Date of the order.')],
      ['iban', 'IBAN', text('IBAN of the supplier.')],
      ['copies', 'Number of copies', integer('Number of copies.')],
      ['total', 'Total', number('Total of the order.')],
    ],
  },
];

type Blank = (drawing: Drawing, label: string, y: number, isMark: boolean) => void;

/** Ways to leave room for an answer. */
const ROOMS: readonly Blank[] = [
  (drawing, label, y, isMark) =>
    void drawing.text(isMark ? `[ ] yes  [ ] no   ${label}` : `${label}: ${'_'.repeat(40)}`, 60, y),
  (drawing, label, y, isMark) => {
    drawing.text(label, 60, y);
    if (isMark) drawing.rect(330, y - 2, 10, 10).stroke();
    else drawing.rect(220, y - 5, 300, 18).stroke();
  },
  (drawing, label, y, isMark) =>
    void drawing.text(isMark ? `${label}   o yes   o no` : `${label} ${'.'.repeat(70)}`, 60, y),
  (drawing, label, y, isMark) => {
    drawing.text(label, 60, y, { lineBreak: false });
    if (isMark) drawing.formCheckbox(label, 330, y - 2, 10, 10, {});
    else drawing.formText(label, 220, y - 5, 300, 18, {});
  },
];

const NOTES = [
  'Please fill in block letters and return this form to the office.',
  'Fields marked with an asterisk are mandatory. Incomplete forms cannot be processed.',
  'Forms that arrive after the 15th of a month are processed in the month after.',
];

/** Forms that nobody has filled in: whatever is answered is invented. */
export const BLANK_FORMS: readonly GeneratedClass[] = FORMS.map(({ name, title, fields, columns }) => ({
  name,
  schema: objectOf({
    ...Object.fromEntries(fields.map(([key, , node]) => [key, node])),
    rows: listOf(
      'One entry for each row that is filled in.',
      Object.fromEntries(columns.map((one) => [keyOf(one), text(`${one}.`)])),
    ),
  }),
  layouts: ROOMS.map((room) => (random: Random): Drawn => {
    const note = random.pick(NOTES);
    const rows = Array.from({ length: 3 + random.below(6) }, () => columns.map(() => ''));
    const shuffled = random.shuffle(fields);
    return {
      gold: { rows: [] },
      draw: (drawing) => {
        drawing.initForm();
        drawing.font('Helvetica-Bold').fontSize(16).text(title, 60, 50);
        drawing.font('Helvetica').fontSize(9).text(note, 60, 78);
        for (const [at, [, label, { type }]] of shuffled.entries()) {
          drawing.font('Helvetica').fontSize(10);
          room(drawing, label, 110 + at * 30, Array.isArray(type) && type.includes('boolean'));
        }
        const table = columns.map((one) => ({ title: one, width: 470 / columns.length }));
        const end = drawTable(drawing, table, rows, { x: 60, y: 310, ruled: true, rowHeight: 20 });
        drawing
          .font('Helvetica')
          .fontSize(9)
          .text('Date, signature', 60, end + 60);
      },
    };
  }),
}));

function keyOf(label: string): string {
  return label.toLowerCase().replaceAll(' ', '_');
}
