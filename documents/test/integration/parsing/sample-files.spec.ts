import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Format } from '../../../src/platform/parsing/sniff-request.js';
import { DocumentFolder } from '../../support/parsing/document-folder.js';
import { sampleFiles, type SampleFile } from '../../support/parsing/sample-files.js';

const LONGEST_MS = 60_000;
const AT_ONCE = 2;
/** `npm run test:nightly` reads all of them, and their pictures too. */
const ALL = process.env['TEST_DOCUMENT_SAMPLES'] === 'all';

/** How a document ended: what it says, or why it could not be read. */
interface Ending {
  format: string;
  state: string;
  text: string;
  warnings: string[];
  milliseconds: number;
}

const folder = new DocumentFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

async function endingOf(sample: SampleFile): Promise<Ending> {
  const started = Date.now();
  const file = folder.put(sample.bytes());
  const ending = (state: string, rest: Partial<Ending> = {}): Ending => ({
    format: 'other',
    text: '',
    warnings: [],
    ...rest,
    state,
    milliseconds: Date.now() - started,
  });
  const sniffed = await folder.reader.sniff(file, { name: sample.name });
  const format = sniffed.items[0]?.format;
  if (format === undefined) return ending(sniffed.failure?.kind ?? 'nothing');
  const { items, failure } = await folder.reader.inspect(file, format);
  const pageCount = items[0]?.pageCount ?? 0;
  if (failure !== null) return ending(failure.kind, { format });
  const pages = await folder.reader.read(file, format, { from: 1, to: Math.min(50, pageCount) });
  const lost = pages.items.filter((item) => 'failure' in item);
  const text = pages.items.map((item) => ('page' in item ? item.page.text : '')).join('\n');
  const words = ALL ? text + (await recognized(file, format, pages.items)) : text;
  const state = pages.failure !== null || lost.length > 0 ? 'partial' : 'ready';
  return ending(state, { format, text: words, warnings: items[0]?.warnings.map((warning) => warning.code) ?? [] });
}

/** The first page that needs it. */
async function recognized(file: string, format: Format, pages: readonly object[]): Promise<string> {
  const at = pages.findIndex((item) => 'needsOcr' in item && item.needsOcr === true);
  if (at < 0) return '';
  const { items } = await folder.reader.recognize(file, format, { pageNumber: at + 1, languages: ['eng'] });
  return items.map((item) => item.page.text).join('\n');
}

/** Some of the samples, small ones, and how each ends. */
const EXPECTED: Readonly<Record<string, Partial<Ending>>> = {
  'pypdf/resources/crazyones.pdf': { state: 'ready', text: 'The ones who see things differently' },
  'pypdf/resources/crazyones-encrypted-256.pdf': { state: 'password_required' },
  'pypdf/resources/encryption/r2-empty-password.pdf': { state: 'ready', text: 'encryption test' },
  'pypdf/resources/encryption/r6-user-password.pdf': { state: 'password_required' },
  'pypdf/resources/encryption/r4-aes-user-password.pdf': { state: 'password_required' },
  'pypdf/resources/libreoffice-writer-password.pdf': { state: 'password_required' },
  'pypdf/resources/issue-297.pdf': { state: 'ready', warnings: ['scripts_ignored'] },
  'pypdf/resources/pdflatex-forms.pdf': { state: 'ready', warnings: ['remote_actions_ignored'] },
  'pypdf/resources/SF424_page2.pdf': { state: 'ready', warnings: ['scripts_ignored', 'launch_ignored'] },
  'pypdf/resources/attachment.pdf': { state: 'ready', warnings: ['embedded_files'] },
  'pypdf/resources/multilang.pdf': { state: 'ready' },
  'pypdf/resources/indirect-rotation.pdf': { state: 'ready' },
  'pypdf/resources/side-by-side-subfig.pdf': { state: 'ready' },
  'ocrmypdf/tests/resources/invalid.pdf': { state: 'broken' },
  'ocrmypdf/tests/resources/no_contents.pdf': { state: 'ready', text: '' },
  'ocrmypdf/tests/resources/tagged.pdf': { state: 'ready' },
  'ocrmypdf/tests/resources/poster.pdf': { state: 'ready' },
  'ocrmypdf/tests/resources/baiona_cmyk.jpg': { state: 'ready', format: 'jpeg' },
  'ocrmypdf/tests/resources/baiona_colormapped.png': { state: 'ready', format: 'png' },
  'ocrmypdf/tests/resources/typewriter.png': { state: 'ready', format: 'png' },
};

describe('documents with which other readers are tested', () => {
  const endings = new Map<string, Ending>();

  beforeAll(async () => {
    const waiting = sampleFiles().filter((sample) => ALL || sample.name in EXPECTED);
    const work = async (): Promise<void> => {
      for (let sample = waiting.shift(); sample !== undefined; sample = waiting.shift())
        endings.set(sample.name, await endingOf(sample));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }, 3_600_000);

  it('DI-005 end in a named state, none of them after more than a minute', () => {
    expect(endings.size).toBe(ALL ? 128 : Object.keys(EXPECTED).length);
    for (const [name, { state, milliseconds }] of endings) {
      expect({ name, state }).toEqual({
        name,
        state: expect.stringMatching(/^(ready|partial|password_required|broken)$/),
      });
      expect({ name, inTime: milliseconds < LONGEST_MS }).toEqual({ name, inTime: true });
    }
  });

  it.each(Object.entries(EXPECTED))('%s ends as is known of it', (name, { text = '', ...expected }) => {
    const ending = endings.get(name);
    expect(ending).toMatchObject(expected);
    expect(ending?.text).toContain(text);
  });
});
