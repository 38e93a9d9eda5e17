import type { Family, Feature } from '../../../src/domain/extraction/scalars/features.js';

type Weights = Partial<Record<Feature, number>>;

/** What speaks for a value wherever a label names it. */
const NAMED: Weights = {
  ...{ bias: -2.5, label: 3, quoted: 1, length: 0.8, marked: 0.6, first: 0.3, foreign: -2.5, neutral: -0.4, rival: -3 },
  ...{ after: 0.8, right: 0.9, below: 0.4, next: 0, before: -1, rank: -0.8, order: -1.2 },
  ...{ look: 1.2, repeats: 0.4, narrow: 0.5, unnamed: -3, misfit: -4 },
};

/** Where fitting begins, and what it goes back to where the gold says nothing. */
export const PRIOR_WEIGHTS: Readonly<Record<Family, Weights>> = {
  date: { ...NAMED, look: 2, top: 0.6, firstPage: 0.6, early: 0.6, narrow: 1 },
  amount: { ...NAMED, look: 1.6, paid: 1.5, row: -1, largest: 0.8, repeats: 0.8, zero: -0.3, late: 0.3, size: 0.5, narrow: 1 },
  number: { ...NAMED, narrow: 0.8 },
  identifier: { ...NAMED, below: 0.6, top: 0.3 },
  code: { ...NAMED, bias: -2, look: 3, unnamed: -1.5 },
  contact: { ...NAMED, bias: -1, look: 2, unnamed: 0, early: 0.5, firstPage: 0.5 },
  currency: { ...NAMED, bias: -0.5, look: 2, repeats: 1, unnamed: 0, early: 0.2 },
  choice: { ...NAMED, bias: -2, look: 1.5, repeats: 0.6, early: 0.4, top: 0.4, unnamed: -1.5, lone: 0.5 },
  truth: { ...NAMED, names: 0.5, look: 1.5 },
  line: { ...NAMED, look: 0.3, long: -0.8, names: 0.8, top: 0.3, size: 0.3, letters: 0.2, unnamed: -3.5 },
  company: {
    ...{
      ...NAMED,
      look: 0,
      before: 0.6,
      company: 1.5,
      top: 1,
      early: 1.2,
      size: 0.8,
      bold: 0.4,
      firstPage: 0.5,
      long: -1,
      letters: 0.8,
    },
    ...{ names: -0.3, lone: 0.5, unnamed: -3, web: 1.2, read: 1.5, words: 2, bias: -5.5 },
  },
  person: {
    ...NAMED,
    look: 1.5,
    company: -1.5,
    top: 1,
    early: 1,
    size: 1.2,
    bold: 0.3,
    firstPage: 0.5,
    long: -1,
    lone: 0.5,
    unnamed: -2,
  },
  title: {
    ...NAMED,
    look: 0,
    top: 0.8,
    size: 1.8,
    bold: 0.5,
    names: 1,
    firstPage: 0.6,
    early: 0.2,
    lone: 0.5,
    letters: 0.6,
    unnamed: -1.5,
  },
  place: { ...NAMED, look: 1.5, top: 0, after: 1.2, lone: 0, unnamed: -4, repeats: 0 },
  address: {
    ...NAMED,
    bias: -1.5,
    look: 2,
    top: 0.8,
    early: 0.8,
    largest: 0.8,
    long: 0.4,
    unnamed: -2,
    firstPage: 0.3,
  },
  passage: { ...NAMED, bias: -1.5, after: 0.4, below: 0.4, long: 0.5, names: 0.5, early: 0.3, unnamed: 0, look: 0 },
};
