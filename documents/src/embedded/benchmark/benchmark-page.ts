import type { Calibration, Estimate } from '../../domain/benchmark/calibration.js';
import type { ClassReport } from './class-report.js';

/** Fields of a class that are listed, those with the most values first. */
const MOST_FIELDS = 12;

/** What a page says beside the figures of each class. */
export interface FurtherFigures {
  /** How the figures were made; where there is none, by this version as it is. */
  head?: string;
  goals?: readonly Goal[];
  /** Over all classes together. */
  pooled?: { name: string; calibration: Calibration }[];
  /** F1 of a class otherwise: by the name of the column, then by that of the class. */
  otherwise?: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Wrong leaves of a class, by why they are wrong. */
  causes?: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** What was wanted, and what came of it. */
export interface Goal {
  what: string;
  /** As in `≥ 0.90`. */
  goal: string;
  measured: string;
  isMet: boolean;
  /** Why it is missed, in the order of weight. */
  causes: readonly string[];
}

/** The page that tells what extraction makes of some documents, in Markdown. */
export function benchmarkPage(reports: readonly ClassReport[], further: FurtherFigures = {}): string {
  const parts = [
    `# What extraction finds\n\n${further.head ?? BY_COMMAND}`,
    TERMS,
    goalsTable(further.goals ?? []),
    `## By class\n\n${figuresTable(reports)}`,
    furtherTable(reports, further.otherwise ?? new Map()),
    sureness(reports, further.pooled ?? []),
    causesTable(further.causes ?? new Map()),
    fieldsTables(reports),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const BY_COMMAND = 'Made by `docsvc bench FOLDER --page FILE`; do not edit by hand.';
const TERMS = `The local engine alone, without a model. A *leaf* is a single value. Precision is right leaves of those returned, recall of those that
there are; F1 of a class is the mean over its documents, *micro* that of all leaves together. Items of lists are paired so that most leaves agree.
*Answered nulls* are leaves with an answer although the gold says that there is none, in objects and rows that it has. *Grounded* are right values
whose excerpt stands on the cited page and inside its boxes. *Invented* are returned values that do not stand where they are cited, or do not
follow from what stands there.`;

function goalsTable(goals: readonly Goal[]): string {
  if (goals.length === 0) return '';
  const rows = goals.map((one) => [one.what, one.goal, one.measured, one.isMet ? 'yes' : 'no']);
  const missed = goals
    .filter(({ isMet, causes }) => !isMet && causes.length > 0)
    .map(({ what, causes }) =>
      [`### Why ${what} is missed`, causes.map((cause) => `- ${cause}`).join('\n')].join('\n\n'),
    );
  return ['## Goals', table(['What', 'Goal', 'Measured', 'Met'], rows), ...missed].join('\n\n');
}

function figuresTable(reports: readonly ClassReport[]): string {
  const head = [
    'Class',
    'Documents',
    'Pages',
    'F1',
    'Micro F1',
    'Precision',
    'Recall',
    'Outside lists',
    'In lists',
    'Answered nulls',
    'Grounded',
    'Invented',
    'ms a page',
  ];
  return table(
    head,
    reports.map((one) => [
      one.name,
      String(one.documents),
      String(one.pages),
      share(one.f1),
      share(one.micro.f1),
      share(one.micro.precision),
      share(one.micro.recall),
      share(one.outsideLists.f1),
      one.insideLists.gold === 0 ? '–' : share(one.insideLists.f1),
      `${one.answeredNulls} of ${one.goldNulls}`,
      `${one.grounded.right} of ${one.grounded.of}`,
      String(one.faults.length),
      one.millisecondsPerPage.toFixed(0),
    ]),
  );
}

function furtherTable(
  reports: readonly ClassReport[],
  otherwise: ReadonlyMap<string, ReadonlyMap<string, number>>,
): string {
  if (otherwise.size === 0) return '';
  const rows = reports.map((one) => [
    one.name,
    share(one.f1),
    ...[...otherwise.values()].map((column) => {
      const value = column.get(one.name);
      return value === undefined ? '–' : share(value);
    }),
  ]);
  return ['### F1 otherwise', table(['Class', 'F1', ...otherwise.keys()], rows)].join('\n\n');
}

function sureness(
  reports: readonly ClassReport[],
  pooled: readonly { name: string; calibration: Calibration }[],
): string {
  const rows = [...pooled, ...reports].map(({ name, calibration: { leaves, auroc, ece } }) => [
    ...[name, String(leaves), estimated(auroc), estimated(ece)],
  ]);
  const text =
    'AUROC: how probable it is that of a right and a wrong leaf the right one has the higher confidence. ECE: how far confidence is from the share ' +
    'that is right, in ten bins of equal size. In brackets 95 % of resamples of the documents.';
  return ['## Confidence', text, table(['Class', 'Leaves', 'AUROC', 'ECE'], rows)].join('\n\n');
}

function causesTable(causes: ReadonlyMap<string, ReadonlyMap<string, number>>): string {
  if (causes.size === 0) return '';
  const all = [...new Set([...causes.values()].flatMap((one) => [...one.keys()]))].sort();
  const rows = all.map((cause) => [cause, ...[...causes.values()].map((one) => String(one.get(cause) ?? 0))]);
  return ['## Why leaves are wrong', table(['Leaves', ...causes.keys()], rows)].join('\n\n');
}

function fieldsTables(reports: readonly ClassReport[]): string {
  const parts = reports.map(({ name, fields }) => {
    const shown = fields
      .filter(({ gold, returned }) => gold + returned > 0)
      .sort((one, other) => other.gold - one.gold)
      .slice(0, MOST_FIELDS);
    const rows = shown.map((one) => [
      `\`${one.pattern}\``,
      share(one.f1),
      String(one.right),
      String(one.returned),
      String(one.gold),
    ]);
    return [`### ${name}`, table(['Leaf', 'F1', 'Right', 'Returned', 'In the gold'], rows)].join('\n\n');
  });
  return ['## By leaf', ...parts].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const share = (value: number): string => value.toFixed(3);
const estimated = (one: Estimate | null): string =>
  one === null ? '–' : `${share(one.value)} (${share(one.low)} to ${share(one.high)})`;
