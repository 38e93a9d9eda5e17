import { readFileSync } from 'node:fs';
import type { Calibration } from '../../../src/domain/benchmark/calibration.js';
import type { Goal } from '../../../src/embedded/benchmark/benchmark-page.js';
import type { ClassReport } from '../../../src/embedded/benchmark/class-report.js';
import type { BothJudges } from './second-judge.js';

/** What is wanted of a class: of all its leaves, of those outside or inside of its lists, or of one field. */
const WANTED: readonly { of: string; part: 'all' | 'outside lists' | 'in lists' | `/${string}`; least: number }[] = [
  { of: 'swimming', part: 'all', least: 0.9 },
  { of: '10kq', part: 'all', least: 0.45 },
  { of: 'credit_agreement', part: 'all', least: 0.35 },
  { of: 'resume', part: 'all', least: 0.25 },
  { of: 'research', part: 'all', least: 0.1 },
  { of: 'invoices', part: 'outside lists', least: 0.85 },
  { of: 'invoices', part: 'in lists', least: 0.6 },
  { of: 'receipts', part: '/date', least: 0.75 },
  { of: 'receipts', part: '/total', least: 0.7 },
  { of: 'receipts', part: '/company', least: 0.4 },
  { of: 'receipts', part: '/address', least: 0.15 },
];
const CAUSES = new URL('causes.json', import.meta.url);
const GROUNDED = 0.97;
const RENAMED_LOSES = 0.05;
const JUDGES_APART = 0.02;
const AUROC = 0.7;

/** The figures of one class, extracted in the ways that are compared. */
export interface MeasuredClass {
  /** Each document left out of the fit. */
  report: ClassReport;
  /** F1 by the weights of this version, and with keys that say nothing. */
  fitted: number;
  renamed: number;
  judges: BothJudges;
}

/** What was wanted beside what was measured. */
export function goalsOf(classes: readonly MeasuredClass[], pooled: Calibration): Goal[] {
  const reports = classes.map(({ report }) => report);
  return [...WANTED.flatMap((wanted) => goalOfClass(wanted, reports)), ...goalsOfAll(classes, pooled)];
}

function goalOfClass({ of, part, least }: (typeof WANTED)[number], reports: readonly ClassReport[]): Goal[] {
  const report = reports.find(({ name }) => name === of);
  if (report === undefined) return [];
  return [atLeast(part === 'all' ? `${of}, F1` : `${of}, F1 of ${part}`, f1Of(report, part), least)];
}

function f1Of(report: ClassReport, part: (typeof WANTED)[number]['part']): number {
  if (part === 'all') return report.f1;
  if (part === 'outside lists') return report.outsideLists.f1;
  if (part === 'in lists') return report.insideLists.f1;
  return report.fields.find(({ pattern }) => pattern === part)?.f1 ?? 0;
}

function goalsOfAll(classes: readonly MeasuredClass[], { auroc }: Calibration): Goal[] {
  const sum = (of: (report: ClassReport) => number): number =>
    classes.reduce((total, { report }) => total + of(report), 0);
  const [lost, apart] = [
    Math.max(...classes.map(({ fitted, renamed }) => fitted - renamed)),
    Math.max(...classes.map(({ judges }) => Math.abs(judges.ours - judges.second))),
  ];
  return [
    atLeast(
      'right leaves cited where they stand',
      sum(({ grounded }) => grounded.right) / sum(({ grounded }) => grounded.of),
      GROUNDED,
    ),
    {
      ...atMost(
        'invented values',
        sum(({ faults }) => faults.length),
        0,
      ),
      goal: '0',
    },
    atMost('F1 that a class loses by keys that say nothing', lost, RENAMED_LOSES),
    atMost('F1 between both judges, where both take the same values for the same', apart, JUDGES_APART),
    atLeast('AUROC of confidence, all leaves together', auroc?.value ?? 0, AUROC),
  ];
}

function atLeast(what: string, measured: number, least: number): Goal {
  const isMet = measured >= least;
  return { what, goal: `≥ ${least.toFixed(2)}`, measured: measured.toFixed(3), isMet, causes: causesOf(what) };
}

function atMost(what: string, measured: number, most: number): Goal {
  const isWhole = Number.isInteger(measured) && most === 0;
  const said = isWhole ? String(measured) : measured.toFixed(3);
  return { what, goal: `≤ ${most.toFixed(2)}`, measured: said, isMet: measured <= most, causes: causesOf(what) };
}

/** What was found when the largest errors were worked through, by what is missed. */
function causesOf(what: string): readonly string[] {
  const said = JSON.parse(readFileSync(CAUSES, 'utf8')) as Record<string, readonly string[]>;
  return said[what] ?? [];
}
