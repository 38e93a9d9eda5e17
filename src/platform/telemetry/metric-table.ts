import { Counter, Histogram, type Registry } from 'prom-client';

interface CounterRow {
  name: string;
  help: string;
  labels?: readonly string[];
}

interface HistogramRow extends CounterRow {
  buckets: readonly number[];
}

/** Metrics by the name that the code has for them; a row with `buckets` is a histogram, any other a counter. */
export type MetricTable = Record<string, CounterRow | HistogramRow>;

type LabelOf<Row> = Row extends { labels: readonly (infer Label extends string)[] } ? Label : never;

/** The metrics of a table. */
export type MetricsOf<Table extends MetricTable> = {
  readonly [Key in keyof Table]: Table[Key] extends HistogramRow
    ? Histogram<LabelOf<Table[Key]>>
    : Counter<LabelOf<Table[Key]>>;
};

/** Makes the metrics of a table, in its order, which is that of a scrape. */
export function registerMetrics<Table extends MetricTable>(registry: Registry, table: Table): MetricsOf<Table> {
  return Object.fromEntries(
    Object.entries(table).map(([key, row]) => [key, register(registry, row)]),
  ) as MetricsOf<Table>;
}

function register(registry: Registry, row: CounterRow | HistogramRow): Counter | Histogram {
  const { name, help, labels } = row;
  const definition = { registers: [registry], name, help, labelNames: [...(labels ?? [])] };
  return 'buckets' in row ? new Histogram({ ...definition, buckets: [...row.buckets] }) : new Counter(definition);
}
