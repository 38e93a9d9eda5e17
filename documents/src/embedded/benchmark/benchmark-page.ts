import type { Estimate } from '../../domain/benchmark/calibration.js';
import type { ClassReport } from './class-report.js';

/** Fields of a class that are listed, those with the most values first. */
const MOST_FIELDS = 12;

/** Further figures of the same classes, by their names. */
export interface FurtherFigures {
  /** F1 where each document is extracted by weights that were fitted without it. */
  leftOut?: ReadonlyMap<string, number>;
  /** F1 where keys say nothing and only descriptions are left. */
  renamed?: ReadonlyMap<string, number>;
  /** F1 by omni-extract-bench. */
  secondJudge?: ReadonlyMap<string, number>;
}

/** The page that tells what extraction makes of some documents, in Markdown. */
export function benchmarkPage(reports: readonly ClassReport[], further: FurtherFigures = {}): string {
  return `${[HEAD, figuresTable(reports), furtherTable(reports, further), sureness(reports), fieldsTables(reports)].filter((part) => part !== '').join('\n\n')}\n`;
}

const HEAD = `# What extraction finds

Made by \`docsvc bench FOLDER --page FILE\` or by \`npm run measure\`; do not edit by hand. The local engine alone, without a model. A *leaf* is a
single value. Precision is right leaves of those returned, recall of those that there are; F1 of a class is the mean over its documents, *micro*
that of all leaves together. Items of lists are paired so that most leaves agree. *Answered nulls* are leaves with an answer although the gold
says that there is none, in objects and rows that it has. *Grounded* are right values whose excerpt stands on the cited page and inside its boxes.`;

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
      one.millisecondsPerPage.toFixed(0),
    ]),
  );
}

function furtherTable(reports: readonly ClassReport[], { leftOut, renamed, secondJudge }: FurtherFigures): string {
  const columns = [
    { title: 'Each document left out of the fit', values: leftOut },
    { title: 'Keys that say nothing', values: renamed },
    { title: 'omni-extract-bench', values: secondJudge },
  ].filter(({ values }) => values !== undefined);
  if (columns.length === 0) return '';
  const rows = reports.map((one) => [
    one.name,
    share(one.f1),
    ...columns.map(({ values }) => {
      const value = values?.get(one.name);
      return value === undefined ? '–' : share(value);
    }),
  ]);
  return ['## The same otherwise', table(['Class', 'F1', ...columns.map(({ title }) => title)], rows)].join('\n\n');
}

function sureness(reports: readonly ClassReport[]): string {
  const rows = reports.map(({ name, calibration: { leaves, auroc, ece } }) => [
    name,
    String(leaves),
    estimated(auroc),
    estimated(ece),
  ]);
  const text =
    'AUROC: how probable it is that of a right and a wrong leaf the right one has the higher confidence. ECE: how far confidence is from the share ' +
    'that is right, in ten bins of equal size. In brackets 95 % of resamples of the documents.';
  return ['## Confidence', text, table(['Class', 'Leaves', 'AUROC', 'ECE'], rows)].join('\n\n');
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
