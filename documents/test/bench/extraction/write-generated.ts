import { parseArgs } from 'node:util';
import { BANK_STATEMENTS } from '../../support/extraction/generated/bank-statements.js';
import { BLANK_FORMS } from '../../support/extraction/generated/blank-forms.js';
import { DELIVERY_NOTES } from '../../support/extraction/generated/delivery-notes.js';
import { EVENT_PROGRAMMES } from '../../support/extraction/generated/event-programmes.js';
import { writeClass } from '../../support/extraction/generated/generated-class.js';
import { LAB_REPORTS } from '../../support/extraction/generated/lab-reports.js';

/** Writes the generated classes, and forms that nobody has filled in, into a folder with gold, which is then measured like any other. */
const { values } = parseArgs({ options: { into: { type: 'string' }, seed: { type: 'string', default: '1' } } });
if (values.into === undefined) throw new Error('name a folder with --into');
for (const one of [DELIVERY_NOTES, LAB_REPORTS, BANK_STATEMENTS, EVENT_PROGRAMMES]) {
  await writeClass(values.into, one, 10, Number(values.seed));
}
for (const one of BLANK_FORMS) await writeClass(values.into, one, 10, Number(values.seed));
