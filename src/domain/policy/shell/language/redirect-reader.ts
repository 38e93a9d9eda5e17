import type { CanonicalLine, HereDocument } from './canonical-line.js';
import type { Scanner } from './scanner.js';
import type { UnderstoodRedirect } from './understood-line.js';
import type { ReadWord } from './word-reader.js';

const OPERATOR = /([0-9]?)(<<<|<<-|<<|<>|<&|>>|>&|>\||&>>|&>|<|>)/y;
/** How a redirect may begin. */
const BEGINS: ReadonlySet<string> = new Set('<>&0123456789');
const DELIMITER = /(?:'([A-Za-z0-9_-]+)'|"([A-Za-z0-9_-]+)"|([A-Za-z0-9_][A-Za-z0-9_-]*))(?=[\s;&|<>)]|$)/y;
const DESCRIPTOR = /^(?:[0-9]-?|-)$/;
/** Bash expands the name of a file behind `>&` twice, so that quotes around it protect nothing. */
const BARE_FILE = /^[A-Za-z_./][A-Za-z0-9_./-]*$/;
const EXPANDS = /[$`\\]/;

interface OpenDocument {
  printed: HereDocument;
  stripsTabs: boolean;
  expands: boolean;
  depth: number;
}

/** Reads redirects, and the here-documents whose text begins on the next line (docs/shell-analysis.md). */
export class RedirectReader {
  private open: OpenDocument[] = [];

  /** @param word Reads a word, or a process substitution. */
  constructor(
    private readonly scan: Scanner,
    private readonly out: CanonicalLine,
    private readonly word: () => ReadWord | null,
  ) {}

  /** Whether a here-document waits for the end of the line. */
  get isWaiting(): boolean {
    return this.open.length > 0;
  }

  /** Reads a redirect if one begins here. A here-document is read, but names no file and is not listed. */
  read(redirects: UnderstoodRedirect[], depth: number): boolean {
    const { scan } = this;
    if (!BEGINS.has(scan.char)) return false;
    const start = scan.at;
    const found = scan.match(OPERATOR);
    if (found === null) return false;
    const [operator, descriptor = '', kind = ''] = found;
    if (scan.char === '(') {
      scan.at = start;
      if (operator === '<' || operator === '>') return false;
      scan.refuse('a parenthesis behind a redirect');
    }
    scan.blanks();
    if (kind === '<<' || kind === '<<-') this.openDocument(descriptor, kind === '<<-', depth);
    else redirects.push(this.target(operator, kind));
    return true;
  }

  private target(operator: string, kind: string): UnderstoodRedirect {
    const { scan } = this;
    this.out.add(` ${operator} `);
    const target = this.word();
    if (target === null) this.scan.refuse('a redirect without a target');
    const isPipe = /^[<>]\(/.test(target.text);
    if (kind !== '<<<' && target.value === null && !isPipe) scan.refuse('a redirect to a word that is not literal');
    const copies = kind === '>&' || kind === '<&';
    if (copies && !DESCRIPTOR.test(target.text) && !(kind === '>&' && BARE_FILE.test(target.text))) {
      scan.refuse(`a word behind \`${kind}\` that is neither one digit nor a plain name`);
    }
    return { operator, target };
  }

  private openDocument(descriptor: string, stripsTabs: boolean, depth: number): void {
    const found = this.scan.match(DELIMITER);
    if (found === null) this.scan.refuse('a here-document whose delimiter is not a plain word');
    const printed = { delimiter: found[1] ?? found[2] ?? found[3]!, body: '' };
    this.out.add(` ${descriptor}`);
    this.out.hereDocument(printed);
    this.open.push({ printed, stripsTabs, expands: found[3] !== undefined, depth });
  }

  /** Reads the texts of the documents that wait; the line that opened them has just ended. */
  readDocuments(depth: number): void {
    for (const document of this.open) {
      if (document.depth !== depth) this.scan.refuse('a line that ends inside a substitution before its here-document');
      this.readDocument(document);
    }
    this.open = [];
  }

  private readDocument({ printed, stripsTabs, expands }: OpenDocument): void {
    const { scan } = this;
    for (;;) {
      if (scan.at >= scan.text.length) scan.refuse(`a here-document without its end \`${printed.delimiter}\``);
      const end = scan.text.indexOf('\n', scan.at);
      const raw = scan.text.slice(scan.at, end === -1 ? undefined : end);
      const line = stripsTabs ? raw.replace(/^\t+/, '') : raw;
      scan.at += raw.length;
      if (line === printed.delimiter) {
        if (scan.char === '\n') scan.at++;
        return;
      }
      if (expands && EXPANDS.test(line)) scan.refuse('an expansion or a backslash in a here-document');
      printed.body += `${line}\n`;
      if (scan.char === '\n') scan.at++;
    }
  }
}
