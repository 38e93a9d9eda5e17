import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KeptClient } from '../../embedded/first-client.js';
import { DocsvcInstallation } from '../../embedded/installation.js';
import type { Schemas } from '../server/schemas.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { drawCitation } from './draw-citation.js';
import { DemoReceiver } from './event-receiver.js';
import { checkPromises, type Evidence, type ExtractionResult } from './promises.js';
import { TypedCommands } from './typed-command.js';

const SAMPLES = fileURLToPath(new URL('../../../../../documents/samples/', import.meta.url));
const INVOICE_WORDS =
  'invoice number, invoice date, total in EUR, line items with description, quantity, unit price, amount';
const RECEIPT_WORDS = 'company name, date, total in EUR';
const SHEET_WORDS = 'orders with article, order date labelled "Ordered on", quantity, unit price';
const TOLD_WITHIN_MS = 20_000;
/** What the operator sets may change where programs are, and nothing of the demo. */
const NOT_FOR_THE_DEMO = /^(DOCSVC_(?!TEMPORAL_BIN$|SANDBOX_UID_BASE$)|TEMPORAL_)/;

export interface DemoOptions {
  signal: AbortSignal;
  /** A line for the terminal. */
  write: (line: string) => void;
}

/** The whole demonstration, from an empty folder to checked promises. Leaves a picture behind, and all of it where a promise was broken. */
export async function runDemo({ signal, write }: DemoOptions): Promise<ExitCode> {
  const folder = mkdtempSync(join(tmpdir(), 'docsvc-demo-'));
  const receiver = await DemoReceiver.start();
  let installation: DocsvcInstallation | undefined;
  let isKept = false;
  try {
    const begun = Date.now();
    write('The documents service starts, in a folder of its own …');
    installation = await DocsvcInstallation.start({ env: environmentOf(folder), notify: write, signal });
    write(`  started in ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    const evidence = await new Demo(folder, installation, receiver, write).run();
    isKept = judge(evidence, write);
    write(`\nDone in ${((Date.now() - begun) / 1000).toFixed(1)} s. The picture: ${join(folder, 'citation.png')}`);
    return isKept ? EXIT.ok : EXIT.error;
  } finally {
    receiver.close();
    await installation?.stop();
    if (isKept || signal.aborted) rmSync(join(folder, 'state'), { recursive: true, force: true });
    else write(`The folder of this demo was kept for you to look at: ${folder}`);
  }
}

function environmentOf(folder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_FOR_THE_DEMO.test(name));
  return {
    ...Object.fromEntries(kept),
    DOCSVC_DATA_DIR: join(folder, 'state'),
    DOCSVC_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  };
}

function judge(evidence: Evidence, write: (line: string) => void): boolean {
  const promises = checkPromises(evidence);
  write('\nWhat was promised');
  for (const { text, kept } of promises) write(`  ${kept ? 'kept  ' : 'BROKEN'} ${text}`);
  const broken = promises.filter(({ kept }) => !kept).length;
  if (broken > 0) write(`\n${broken} of ${promises.length} promises were broken.`);
  return broken === 0;
}

class Demo {
  private readonly papers: string;
  private readonly docsvc: TypedCommands;

  constructor(
    private readonly folder: string,
    { folder: { firstClient }, url }: DocsvcInstallation,
    private readonly receiver: DemoReceiver,
    private readonly write: (line: string) => void,
  ) {
    this.papers = join(folder, 'papers');
    mkdirSync(this.papers);
    for (const name of readdirSync(SAMPLES)) copyFileSync(join(SAMPLES, name), join(this.papers, name));
    const { clientId, clientSecret } = JSON.parse(readFileSync(firstClient, 'utf8')) as KeptClient;
    const env = { DOCSVC_DEFAULTS_API_URL: url, DOCSVC_CLIENT_ID: clientId, DOCSVC_CLIENT_SECRET: clientSecret };
    this.docsvc = new TypedCommands(this.papers, env, (line) => write(`\n${line}`));
  }

  async run(): Promise<Evidence> {
    const { docsvc } = this;
    const secret = await this.prepare();
    const words = ['extract', 'invoice.pdf', '--describe', INVOICE_WORDS];
    const invoice = await docsvc.json<ExtractionResult>([...words, '--citations']);
    const repeated = await docsvc.run(words);
    this.write(repeated.stdout.trimEnd());
    const { stdout: csv } = await docsvc.run([...words, '--output', 'csv']);
    this.write(csv.trimEnd());
    const { stdout: jsonl } = await docsvc.run([...words, '--output', 'jsonl']);
    const runs = await docsvc.json<Schemas['ExtractionView'][]>(['runs', 'list']);
    const again = {
      same: repeated.stdout.includes(String(invoice.data?.['invoiceNumber'])),
      sent: repeated.stderr.includes('parts'),
      runs: runs.length,
    };
    const printed = { table: repeated.stdout, csv, jsonl };
    const receipt = await this.extract('receipt.png', RECEIPT_WORDS);
    const sheet = await this.extract('orders.csv', SHEET_WORDS);
    return {
      ...{ invoice, receipt, sheet, again, printed },
      run: await docsvc.json(['runs', 'show', invoice.extractionId]),
      drawn: await this.drawTotal(invoice),
      hits: await this.search('which invoice is of 4 March 2024?'),
      told: await this.receiver.eventOf(invoice.extractionId, secret, TOLD_WITHIN_MS),
    };
  }

  /** @returns the secret of the webhook */
  private async prepare(): Promise<string> {
    const { docsvc } = this;
    const workspace = await docsvc.json<{ id: string }>(['workspaces', 'create', 'Harbour office']);
    await docsvc.run(['projects', 'create', 'Papers', '--workspace', workspace.id]);
    await docsvc.run(['use', 'Papers']);
    const events = ['--events', 'extraction.completed,extraction.partial,extraction.failed'];
    return (await docsvc.json<{ secret: string }>(['webhooks', 'create', this.receiver.url, ...events])).secret;
  }

  private async extract(file: string, words: string): Promise<ExtractionResult> {
    const result = await this.docsvc.json<ExtractionResult>(['extract', file, '--describe', words, '--citations']);
    this.write(JSON.stringify(result.data, null, 2));
    return result;
  }

  /** Onto the picture of the page that it is cited from. */
  private async drawTotal({ fields }: ExtractionResult): Promise<Evidence['drawn']> {
    const [citation] = fields?.['/total']?.citations ?? [];
    const [box] = citation?.boundingBoxes ?? [];
    if (citation === undefined || box === undefined) throw new Error('the total of the invoice is cited from nowhere');
    await this.docsvc.run(['docs', 'image', 'invoice.pdf', String(citation.pageNumber), '--to', 'page.png']);
    const drawn = await drawCitation(readFileSync(join(this.papers, 'page.png')), box);
    writeFileSync(join(this.folder, 'citation.png'), drawn.picture);
    this.write(`the total is cited from page ${citation.pageNumber}: "${citation.excerpt}"`);
    return drawn;
  }

  private async search(question: string): Promise<Evidence['hits']> {
    const hits = await this.docsvc.json<Evidence['hits'][number][]>(['search', question]);
    const [first] = hits;
    if (first !== undefined)
      this.write(`${first.documentName}, page ${first.pageNumber}: ${JSON.stringify(first.excerpt)}`);
    return hits;
  }
}
