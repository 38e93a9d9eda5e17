import type { JsonObject } from '../../../../../src/domain/json.js';
import type { Random } from '../../../bench/search/random.js';
import { drawBoxes, drawPairs, drawTable } from './draw-table.js';
import { date, listOf, number, objectOf, text, type Drawn, type GeneratedClass } from './generated-class.js';
import { companyOf, dayOf, digitsOf, dottedOf, isoOf, longOf, personOf, type Day } from './invented.js';

const SCHEMA = objectOf({
  patientName: text('Full name of the patient.'),
  patientId: text('Identifier of the patient.'),
  birthDate: date('Date of birth of the patient.'),
  collectedOn: date('Date on which the sample was collected.'),
  physician: text('Physician who ordered the tests ("Ordered by").'),
  fasting: { type: ['boolean', 'null'], description: 'Whether the patient was fasting.' },
  results: listOf('One entry for each test of the report.', {
    test: text('Name of the test.'),
    value: number('Measured value ("Result").'),
    unit: text('Unit of the value.'),
    reference: text('Reference range.'),
    flag: { enum: ['H', 'L', null], description: 'H above, L below the reference range; null within it.' },
  }),
  interpretation: text('Interpretation by the laboratory.'),
});

const TESTS: readonly [name: string, unit: string, low: number, high: number][] = [
  ['Hemoglobin', 'g/dL', 12, 16],
  ['Leukocytes', '10^9/L', 4, 10],
  ['Platelets', '10^9/L', 150, 400],
  ['Creatinine', 'mg/dL', 0.6, 1.2],
  ['Sodium', 'mmol/L', 135, 145],
  ['Potassium', 'mmol/L', 3.5, 5.1],
  ['Glucose', 'mg/dL', 70, 100],
  ['Ferritin', 'ng/mL', 15, 150],
  ['Vitamin D', 'ng/mL', 30, 100],
  ['Cholesterol', 'mg/dL', 125, 200],
];
const SENTENCES = [
  'No further testing is suggested at this time.',
  'A control in three months is recommended.',
  'Please correlate with clinical findings.',
];

interface Report {
  laboratory: string;
  patient: string;
  id: string;
  born: Day;
  collected: Day;
  physician: string;
  fasting: boolean;
  results: { test: string; value: number; unit: string; reference: string; flag: string | null }[];
  interpretation: string;
}

function reportOf(random: Random): Report {
  const born = { ...dayOf(random), year: 1940 + random.below(60) };
  return {
    ...{ laboratory: companyOf(random), patient: personOf(random), id: `P${digitsOf(random, 7)}`, born },
    ...{ collected: dayOf(random), physician: `Dr. ${personOf(random)}`, fasting: random.below(2) === 0 },
    results: random
      .shuffle(TESTS)
      .slice(0, 4 + random.below(6))
      .map(([test, unit, low, high]) => {
        const value = Math.round((low + (random.next() * 1.6 - 0.3) * (high - low)) * 10) / 10;
        const flag = value > high ? 'H' : value < low ? 'L' : null;
        return { test, value, unit, reference: `${low} - ${high}`, flag };
      }),
    interpretation: random.pick(SENTENCES),
  };
}

const goldOf = (report: Report): JsonObject => ({
  ...{ patientName: report.patient, patientId: report.id, birthDate: isoOf(report.born) },
  ...{ collectedOn: isoOf(report.collected), physician: report.physician, fasting: report.fasting },
  ...{ results: report.results, interpretation: report.interpretation },
});

const COLUMNS = [
  { title: 'Test', width: 140 },
  { title: 'Result', width: 70, align: 'right' },
  { title: 'Flag', width: 50 },
  { title: 'Unit', width: 90 },
  { title: 'Reference range', width: 130 },
] as const;

const rowsOf = ({ results }: Report): string[][] =>
  results.map(({ test, value, flag, unit, reference }) => [test, String(value), flag ?? '', unit, reference]);

function pairedReport(random: Random): Drawn {
  const report = reportOf(random);
  return {
    gold: goldOf(report),
    draw: (drawing) => {
      drawing.font('Helvetica-Bold').fontSize(14).text(report.laboratory, 50, 40);
      drawing.font('Helvetica').fontSize(11).text('Laboratory Report', 50, 62);
      const left = [
        ['Patient name:', report.patient],
        ['Patient ID:', report.id],
        ['Date of birth:', dottedOf(report.born)],
      ] as const;
      const right = [
        ['Sample collected:', dottedOf(report.collected)],
        ['Ordered by:', report.physician],
        ['Fasting:', report.fasting ? 'Yes' : 'No'],
      ] as const;
      drawPairs(drawing, left, { x: 50, y: 100 });
      drawPairs(drawing, right, { x: 320, y: 100 });
      const end = drawTable(drawing, COLUMNS, rowsOf(report), { x: 50, y: 170 });
      drawing
        .font('Helvetica-Bold')
        .fontSize(11)
        .text('Interpretation', 50, end + 20);
      drawing
        .font('Helvetica')
        .fontSize(9)
        .text(report.interpretation, 50, end + 38);
    },
  };
}

function boxedReport(random: Random): Drawn {
  const report = reportOf(random);
  return {
    gold: goldOf(report),
    draw: (drawing) => {
      drawing.font('Helvetica-Bold').fontSize(16).text('LABORATORY RESULTS', 40, 40);
      drawing.font('Helvetica').fontSize(9).text(report.laboratory, 40, 62);
      const upper = [
        ['Patient name', report.patient],
        ['Patient ID', report.id],
        ['Date of birth', longOf(report.born)],
      ] as const;
      const lower = [
        ['Collected on', longOf(report.collected)],
        ['Ordered by', report.physician],
        ['Fasting', report.fasting ? 'Yes' : 'No'],
      ] as const;
      drawBoxes(drawing, upper, { x: 40, y: 90, width: 170 });
      drawBoxes(drawing, lower, { x: 40, y: 125, width: 170 });
      const end = drawTable(drawing, COLUMNS, rowsOf(report), { x: 40, y: 180, ruled: true, rowHeight: 20 });
      drawing
        .font('Helvetica')
        .fontSize(9)
        .text(`Interpretation: ${report.interpretation}`, 40, end + 20);
    },
  };
}

export const LAB_REPORTS: GeneratedClass = { name: 'lab-report', schema: SCHEMA, layouts: [pairedReport, boxedReport] };
