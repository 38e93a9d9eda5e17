import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import type { Format } from '../../../src/platform/parsing/sniff-request.js';
import type { Page } from '../../../src/domain/page-model.js';
import { testJail } from './jail.js';

/** Files for the jail, gone with the test, and a reader of them. */
export class DocumentFolder implements Disposable {
  readonly reader = new DocumentReader(testJail());
  private readonly folder = mkdtempSync(join(tmpdir(), 'docsvc-parsing-'));
  private files = 0;

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  put(bytes: Buffer): string {
    const file = join(this.folder, String((this.files += 1)));
    writeFileSync(file, bytes, { mode: 0o644 });
    return file;
  }

  /** Pages of a document that can be read whole. */
  async pages(bytes: Buffer, to: number, format: Format = 'pdf', password?: string): Promise<Page[]> {
    const asked = { from: 1, to, ...(password === undefined ? {} : { password }) };
    const { items, failure } = await this.reader.read(this.put(bytes), format, asked);
    if (failure !== null) throw new Error(failure.message);
    return items.map((item) => {
      if ('failure' in item) throw new Error(item.failure.message);
      return item.page;
    });
  }

  async page(bytes: Buffer): Promise<Page> {
    const [page] = await this.pages(bytes, 1);
    if (page === undefined) throw new Error('the document has no page');
    return page;
  }
}
