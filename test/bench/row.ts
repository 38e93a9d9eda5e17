/** One figure of a row against its limit. */
export interface Target {
  what: string;
  /** `atLeast` for rates, `atMost` for times, sizes and counts. */
  kind: 'atLeast' | 'atMost';
  limit: number;
  measured: number;
  unit: string;
  met: boolean;
}

/** What one row of the benchmark found; `baseline` was measured in the same run on the same machine. */
export interface RowResult {
  name: string;
  values: Record<string, number>;
  unit: Record<string, string>;
  baseline: Record<string, number>;
  targets: Target[];
  /** Every target was met. */
  met: boolean;
  /** What a reader must know to read the figures. */
  notes: string[];
  seconds: number;
  /** Load average of one minute when the row began. */
  load: number;
}

export type RowFindings = Pick<RowResult, 'values' | 'unit' | 'baseline' | 'targets' | 'notes'>;

/** A row that could not be measured says why; it counts as not met. */
export interface FailedRow {
  name: string;
  met: false;
  error: string;
  seconds: number;
}

export function atLeast(what: string, measured: number, limit: number, unit: string): Target {
  return { what, kind: 'atLeast', limit: round(limit), measured: round(measured), unit, met: measured >= limit };
}

export function atMost(what: string, measured: number, limit: number, unit: string): Target {
  return { what, kind: 'atMost', limit: round(limit), measured: round(measured), unit, met: measured <= limit };
}

/** Three significant digits after the point are more than any of these measurements holds. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

export function rounded(values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, round(value)]));
}
