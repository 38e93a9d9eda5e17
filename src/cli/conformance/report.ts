import { CliError, EXIT } from '../terminal/exit-codes.js';
import { printRows, write } from '../terminal/output.js';
import type { OutputFormat } from '../terminal/output.js';
import type { CheckResult } from './check.js';

const COLUMNS = [
  { title: '', value: ({ result }: CheckResult) => result },
  { title: 'CHECK', value: ({ id }: CheckResult) => id },
  { title: '§', value: ({ section }: CheckResult) => String(section) },
  { title: 'PROMISE', value: ({ title }: CheckResult) => title, width: 90 },
];

/**
 * Prints the results, then what was expected and seen of each that failed. Throws with exit code 1 when one did, and when
 * nothing was checked at all.
 */
export function reportChecks(format: OutputFormat, results: readonly CheckResult[]): void {
  printRows(format, results, COLUMNS, 'No check has such an id.');
  if (format === 'table') for (const result of results) describe(result);
  const failed = results.filter(({ result }) => result === 'fail');
  const passed = results.filter(({ result }) => result === 'pass').length;
  const sum = `${passed} of ${results.length} checks passed, ${failed.length} failed, ${results.length - passed - failed.length} skipped`;
  if (failed.length > 0) throw new CliError(sum);
  if (passed === 0) throw new CliError(`${sum}: nothing was shown`, EXIT.usage);
  if (format === 'table') write(`\n${sum}.`);
}

function describe({ id, result, section, expected, seen }: CheckResult): void {
  if (result === 'pass') return;
  printRows<string>(
    'table',
    [`expected  ${expected}`, `seen      ${seen}`],
    [{ title: `\n${result} ${id} (docs/runner-contract.md, section ${section})`, value: (line) => line, width: 1000 }],
    '',
  );
}
