import { cpus, loadavg, totalmem } from 'node:os';
import { measureRow, printReport } from '../../../test/bench/measure-row.js';
import type { RowFindings } from '../../../test/bench/row.js';
import { measureIngest } from './ingest/measure-ingest.js';
import { measureReading } from './reading/measure-reading.js';
import { measureRuns } from './runs/measure-runs.js';
import { measureSearch } from './search/measure-search.js';
import { measureUpload } from './uploads/measure-upload.js';
import { measureWebhook } from './webhooks/measure-webhook.js';

interface DocumentsRow {
  timeoutMs: number;
  /** @param words of the command line after the name of the row */
  measure(words: readonly string[]): Promise<RowFindings>;
}

const ROWS: { [name: string]: DocumentsRow } = {
  reading: { timeoutMs: 900_000, measure: ([folder]) => measureReading(folder) },
  ingest: {
    timeoutMs: 1_200_000,
    measure: ([folder, pages]) => measureIngest(folder, pages === undefined ? undefined : Number(pages)),
  },
  search: { timeoutMs: 3_600_000, measure: ([folder, chunks]) => measureSearch(folder, Number(chunks ?? 100_000)) },
  webhook: { timeoutMs: 600_000, measure: ([samples]) => measureWebhook(Number(samples ?? 100)) },
  runs: { timeoutMs: 900_000, measure: ([starts]) => measureRuns(Number(starts ?? 400)) },
  upload: { timeoutMs: 3_600_000, measure: ([gib]) => measureUpload(Number(gib ?? 16)) },
};

const [name = '', ...words] = process.argv.slice(2);
const row = ROWS[name];
if (row === undefined) {
  process.stderr.write(
    `bench: name a row and what it needs: ${Object.keys(ROWS).join(', ')}; reading, ingest and search need a folder, upload takes GiB\n`,
  );
  process.exit(2);
}
const machine = { cpus: cpus().length, memory_gib: Math.round(totalmem() / 2 ** 30), load: loadavg()[0] };
const result = await measureRow(name, row.timeoutMs, () => row.measure(words));
await printReport({ benchmark: 'docsvc', date: new Date().toISOString(), machine, rows: [result], met: result.met });
process.exit(result.met ? 0 : 1);
