import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figuresOf } from '../../../src/domain/benchmark/figures.js';
import { extractDocument } from '../../../src/domain/extraction/extract-document.js';
import { benchDocument, type BenchedDocument, type Extract } from '../../../src/embedded/benchmark/bench-document.js';
import { goldClassesOf, type GoldClass } from '../../../src/embedded/benchmark/gold-classes.js';
import { readDocument, readingOf, type ReadDocument } from '../../../src/embedded/benchmark/read-document.js';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import { extractByRenamedKeys } from '../../bench/extraction/renamed-keys.js';
import { faultsOfShape } from '../../support/extraction/check-shape.js';
import { BANK_STATEMENTS } from '../../support/extraction/generated/bank-statements.js';
import { BLANK_FORMS } from '../../support/extraction/generated/blank-forms.js';
import { DELIVERY_NOTES } from '../../support/extraction/generated/delivery-notes.js';
import { EVENT_PROGRAMMES } from '../../support/extraction/generated/event-programmes.js';
import { writeClass } from '../../support/extraction/generated/generated-class.js';
import { LAB_REPORTS } from '../../support/extraction/generated/lab-reports.js';
import { testJail } from '../../support/parsing/jail.js';

const CLASSES = [DELIVERY_NOTES, LAB_REPORTS, BANK_STATEMENTS, EVENT_PROGRAMMES];
const FORMS = BLANK_FORMS.map(({ name }) => name);
const NAMES = [...CLASSES.map(({ name }) => name), ...FORMS];
/** Of each kind; forms of three kinds are thirty in the night. */
const COUNT = process.env['TEST_GENERATED_DOCUMENTS'] === 'all' ? 10 : 4;
const LEAST_F1 = 0.7;
const MOST_LOST = 0.05;

const folder = mkdtempSync(join(tmpdir(), 'docsvc-generated-'));
const reader = new DocumentReader(testJail());
const read = new Map<string, ReadDocument>();
let classes: GoldClass[] = [];

beforeAll(async () => {
  for (const one of [...CLASSES, ...BLANK_FORMS]) await writeClass(folder, one, COUNT, 1);
  classes = goldClassesOf(folder);
  for (const { file } of classes.flatMap(({ documents }) => documents))
    read.set(file, await readDocument(reader, file));
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

function bench(name: string, extract: Extract = extractDocument): BenchedDocument[] {
  const one = classes.find((some) => some.name === name);
  if (one === undefined) throw new Error(`${name} was not written`);
  return one.documents.map((document) => {
    const pages = read.get(document.file);
    if (pages === undefined) throw new Error(`${document.name} was not read`);
    return benchDocument(one, document, readingOf(pages), extract);
  });
}

const benched = new Map<string, BenchedDocument[]>();
/** What the engine made of a kind the first time that anybody asked. */
function once(name: string): BenchedDocument[] {
  const kept = benched.get(name) ?? bench(name);
  benched.set(name, kept);
  return kept;
}

const f1Of = (found: readonly BenchedDocument[]): number => figuresOf(found.map(({ judgement }) => judgement)).f1;

describe('documents of kinds that nobody has seen', () => {
  it.each(CLASSES.map(({ name }) => name))('%s: most of what it says is found by its schema alone', (name) => {
    const found = f1Of(once(name));
    expect(found).toBeGreaterThanOrEqual(LEAST_F1);
    // Keys that say nothing cost little where descriptions are left.
    expect(found - f1Of(bench(name, extractByRenamedKeys))).toBeLessThanOrEqual(MOST_LOST);
  });

  it('DI-043 have every value where it is cited, made from what stands there, and in the shape of the schema', () => {
    const faults = NAMES.flatMap((name) =>
      once(name).flatMap(({ document, faults: found, result }) => {
        const schema = classes.find((one) => one.name === name)?.schema ?? {};
        return [...found, ...faultsOfShape(schema, result.data)].map((fault) => ({
          document: document.name,
          ...fault,
        }));
      }),
    );
    expect(faults).toEqual([]);
  });

  it('give the same result on every run, byte for byte', () => {
    const written = (of: typeof once): string =>
      JSON.stringify(NAMES.flatMap((name) => of(name).map(({ result }) => result)));
    expect(written(bench)).toBe(written(once));
  });

  it.each(FORMS)('%s: where nobody has written, nothing is answered', (name) => {
    const answered = once(name).flatMap(({ document, judgement }) =>
      judgement.leaves
        .filter(({ got }) => got !== null)
        .map(({ path, got }) => `${document.name} ${path}: ${String(got)}`),
    );
    expect(answered).toEqual([]);
  });
});
