import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Reading } from '../../../src/domain/extraction/model/reading.js';
import { readDocument, readingOf, type ReadDocument } from '../../../src/embedded/benchmark/read-document.js';
import { DocumentReader } from '../../../src/platform/parsing/document-reader.js';
import { testJail } from '../../support/parsing/jail.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const DOCUMENTS = fileURLToPath(new URL('../../../', import.meta.url));
/** What decides how a document is read. */
const READER = ['src/platform/parsing', 'src/domain/layout', 'src/domain/tables', 'src/domain/page-model.ts'];

/**
 * Readings of files, kept in the cache of this user by the bytes of the file and the sources of the reader: a document is opened, and its pictures are
 * recognized, once.
 */
export class ReadingCache {
  private readonly folder = join(
    process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
    'sandgate',
    'document-readings',
    readerDigest(),
  );
  private reader: DocumentReader | null = null;

  async of(file: string): Promise<Reading> {
    const place = join(this.folder, `${digestOf(readFileSync(file))}.json.zst`);
    return readingOf(existsSync(place) ? unpacked(place) : await this.read(file, place));
  }

  async close(): Promise<void> {
    await this.reader?.close();
  }

  private async read(file: string, place: string): Promise<ReadDocument> {
    process.stderr.write(`reading ${file} …\n`);
    if (this.reader === null) bundleParsers();
    this.reader ??= new DocumentReader(testJail());
    const read = await readDocument(this.reader, file);
    mkdirSync(this.folder, { recursive: true });
    // Others may read the same file meanwhile, and must not see half of it.
    const making = `${place}.${process.pid}`;
    writeFileSync(making, zstdCompressSync(JSON.stringify(read)));
    renameSync(making, place);
    return read;
  }
}

/** The programs that read are bundled anew where a source is younger: what is kept must have been read by the sources that name it. */
function bundleParsers(): void {
  const bundle = join(ROOT, 'dist/documents/parsers/pdf.mjs');
  const changed = Math.max(...readerFiles().map((path) => statSync(join(DOCUMENTS, path)).mtimeMs));
  if (existsSync(bundle) && statSync(bundle).mtimeMs > changed) return;
  mkdirSync(join(ROOT, 'dist/documents/parsers'), { recursive: true });
  execFileSync(process.execPath, ['build/bundle-parsers.mjs'], { cwd: ROOT, stdio: 'inherit' });
}

function unpacked(place: string): ReadDocument {
  return JSON.parse(zstdDecompressSync(readFileSync(place)).toString('utf8')) as ReadDocument;
}

function readerDigest(): string {
  const all = createHash('sha256');
  for (const path of readerFiles()) all.update(`${path}\n`).update(readFileSync(join(DOCUMENTS, path)));
  return all.digest('hex').slice(0, 16);
}

function readerFiles(): string[] {
  return READER.flatMap((path) =>
    path.endsWith('.ts')
      ? [path]
      : readdirSync(join(DOCUMENTS, path), { recursive: true, encoding: 'utf8' }).map((name) => join(path, name)),
  )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .sort();
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
