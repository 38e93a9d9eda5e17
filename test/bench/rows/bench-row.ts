import type { BenchStack } from '../bench-stack.js';
import type { RowFindings } from '../row.js';

export interface BenchOptions {
  /** The whole numbers of trials of the specification instead of those that fit eight minutes. */
  full: boolean;
  /** A run that only shows that everything works: its figures mean nothing. */
  quick: boolean;
}

interface Row {
  /** Its name on the command line and in the report. */
  name: string;
  /** Ends the row, not the benchmark. */
  timeoutMs: number;
}

/** A row of the table of numbers to reach, measured on the one installation of the benchmark. */
export interface BenchRow extends Row {
  measure(stack: BenchStack, options: BenchOptions): Promise<RowFindings>;
}

/** A row that needs the machine for itself and is measured before there is an installation. */
export interface AloneRow extends Row {
  measureAlone(options: BenchOptions): Promise<RowFindings>;
}
