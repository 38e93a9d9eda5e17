import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atMost, type RowFindings } from '../../../../test/bench/row.js';
import { DocsvcCommand } from '../../support/cli/docsvc-command.js';
import { makePdf } from '../../support/documents/make-pdf.js';
import { StartedDocsvc, tokenOf } from '../../support/installation/started-docsvc.js';
import { median } from '../reading/jailed-reading.js';
import { makeProject, post } from '../uploads/upload-session.js';

const STARTS_A_SECOND = 20;
const PAGES = 10;
const PAGES_OF_COMMAND = 3;
const ROUNDS = 5;
const PATIENCE_MS = 120_000;
/** Nothing of them is to limit the measure. */
const NO_LIMIT = '100000';

const DESCRIPTION = 'invoice number, invoice date, total, line items with description, quantity, amount';
/** Code with which the command ends where a list may lack rows. */
const PARTIAL = 9;
const SCHEMA = {
  type: 'object',
  properties: {
    invoiceNumber: { type: 'string', description: 'The number of the invoice.' },
    invoiceDate: { type: 'string', format: 'date', description: 'The date of the invoice.' },
    total: { type: 'number', description: 'The amount that is due, labelled "Total".' },
    lines: {
      type: 'array',
      description: 'The positions of the invoice.',
      items: {
        type: 'object',
        properties: {
          description: { type: 'string', description: 'What was delivered.' },
          quantity: { type: 'number', description: 'How many of it.' },
          amount: { type: 'number', description: 'What it costs.' },
        },
      },
    },
  },
};

/**
 * How long the API takes to accept runs of extraction that come twenty a second, with the worker doing them meanwhile; then how long a run over a
 * text of ten pages takes, from its request to its end, and how long one command does that makes data of a file of three pages.
 *
 * @param starts how many runs
 */
export async function measureRuns(starts: number): Promise<RowFindings> {
  const folder = mkdtempSync(join(tmpdir(), 'docsvc-bench-'));
  const docsvc = await StartedDocsvc.start(folder, {
    DOCSVC_RATE_REQUESTS_PER_MIN: NO_LIMIT,
    DOCSVC_RATE_EXTRACTIONS_PER_MIN: NO_LIMIT,
    DOCSVC_QUOTA_RUNNING_EXTRACTIONS: NO_LIMIT,
  });
  try {
    const bench = await RunsBench.open(docsvc);
    const tenPages = await bench.timeRuns(await bench.add('ten-pages.pdf', await invoice(PAGES)));
    const command = await bench.timeCommands();
    const times = await bench.timeStarts(await bench.add('one-page.pdf', await invoice(1)), starts);
    const at = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? Infinity;
    const values = {
      ...{ accepted_p50_ms: at(0.5), accepted_p95_ms: at(0.95), accepted_max_ms: at(1) },
      ...{ ten_pages_ms: tenPages, one_command_ms: command },
    };
    return {
      values,
      unit: Object.fromEntries(Object.keys(values).map((name) => [name, 'ms'])),
      baseline: {},
      targets: [
        atMost('p95 of the answer to a start, 20 a second', at(0.95), 80, 'ms'),
        atMost('a run over ten pages of text', tenPages, 2000, 'ms'),
        atMost('one command on a file of three pages', command, 8000, 'ms'),
      ],
      notes: [
        `${starts} runs that are started while the worker does them, and medians of ${ROUNDS} runs over ${PAGES} pages and of ${ROUNDS} commands`,
      ],
    };
  } finally {
    await docsvc.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

class RunsBench {
  private constructor(
    private readonly docsvc: StartedDocsvc,
    private readonly token: string,
    private readonly projectId: string,
    private readonly schemaVersionId: string,
  ) {}

  static async open(docsvc: StartedDocsvc): Promise<RunsBench> {
    const projectId = await makeProject(docsvc);
    const path = `/api/projects/${projectId}/schemas`;
    const schema = await post<{ latestVersionId: string }>(docsvc, path, { name: 'Invoice', jsonSchema: SCHEMA }, 201);
    return new RunsBench(docsvc, await tokenOf(docsvc.client), projectId, schema.latestVersionId);
  }

  /** Adds a document, and waits until it is read. @returns its id */
  async add(name: string, bytes: Buffer): Promise<string> {
    const body = { name, contentBase64: bytes.toString('base64') };
    const { document } = await this.post<{ document: { id: string } }>(
      `/api/projects/${this.projectId}/documents`,
      body,
    );
    await this.until(`/api/documents/${document.id}`, 'ready');
    return document.id;
  }

  /** @returns the median of some runs, one after the other, in milliseconds */
  async timeRuns(documentId: string): Promise<number> {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      const id = await this.start(documentId);
      await this.until(`/api/v2/extractions/${id}`, 'completed', 'partial');
      times.push(performance.now() - begun);
    }
    return median(times);
  }

  /** Sends a new file, has it read, makes a schema of words and extracts. @returns the median of some, in milliseconds */
  async timeCommands(): Promise<number> {
    const { clientId, clientSecret } = this.docsvc.client;
    using docsvc = new DocsvcCommand({
      ...{ DOCSVC_DEFAULTS_API_URL: this.docsvc.url, DOCSVC_DEFAULTS_PROJECT: this.projectId },
      ...{ DOCSVC_CLIENT_ID: clientId, DOCSVC_CLIENT_SECRET: clientSecret },
    });
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const file = join(docsvc.folder, `${round}.pdf`);
      writeFileSync(file, await invoice(PAGES_OF_COMMAND, `Oats of round ${round}`));
      const begun = performance.now();
      const { code, stderr } = await docsvc.run(['extract', file, '--describe', DESCRIPTION, '--output', 'json']);
      times.push(performance.now() - begun);
      if (code !== 0 && code !== PARTIAL) throw new Error(`docsvc extract ended with ${code}: ${stderr}`);
    }
    return median(times);
  }

  /** Starts runs at a steady pace, whether those before were answered or not. @returns how long answers took, the quickest first */
  async timeStarts(documentId: string, count: number): Promise<number[]> {
    const begun = performance.now();
    const answers: Promise<number>[] = [];
    for (let sent = 0; sent < count; sent += 1) {
      await delay(Math.max(0, begun + (sent * 1000) / STARTS_A_SECOND - performance.now()));
      const sentAt = performance.now();
      answers.push(this.start(documentId).then(() => performance.now() - sentAt));
    }
    return (await Promise.all(answers)).toSorted((one, other) => one - other);
  }

  private async start(documentId: string): Promise<string> {
    const body = { schemaVersionId: this.schemaVersionId, documentIds: [documentId] };
    return (await this.post<{ id: string }>(`/api/v2/projects/${this.projectId}/extractions`, body)).id;
  }

  private async until(path: string, ...statuses: string[]): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await delay(25)) {
      const answer = await fetch(this.docsvc.url + path, { headers: { authorization: `Bearer ${this.token}` } });
      const { status } = (await answer.json()) as { status: string };
      if (statuses.includes(status)) return;
      if (Date.now() > deadline) throw new Error(`${path} is ${status} after ${PATIENCE_MS / 1000} s`);
    }
  }

  private async post<A>(path: string, body: object): Promise<A> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const answer = await fetch(this.docsvc.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 202) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as A;
  }
}

/** Pages of text with the positions of an invoice on each. */
function invoice(pages: number, goods = 'Oats'): Promise<Buffer> {
  return makePdf(
    Array.from({ length: pages }, (_, page) => [
      `Invoice number 2026-${1000 + page}`,
      'Invoice date 3 March 2026',
      ...Array.from({ length: 35 }, (_line, line) => `${goods} of field ${line}   ${line + 1}   ${(line + 1) * 3}.50`),
      `Total ${page * 100 + 12}.50`,
    ]),
  );
}
