import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocsvcCommand } from '../../support/cli/docsvc-command.js';
import { BANK_STATEMENTS } from '../../support/extraction/generated/bank-statements.js';
import { writeClass } from '../../support/extraction/generated/generated-class.js';

const folder = mkdtempSync(join(tmpdir(), 'docsvc-gold-'));
const docsvc = new DocsvcCommand();

beforeAll(async () => {
  await writeClass(folder, BANK_STATEMENTS, 2, 1);
});
afterAll(() => {
  docsvc[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

describe('docsvc bench', () => {
  it('reads a folder with gold on this host, asks no service, and says what was found', async () => {
    const page = join(docsvc.folder, 'found.md');
    const { code, stdout } = await docsvc.run(['bench', folder, '--page', 'found.md', '--output', 'json']);
    const [report] = JSON.parse(stdout) as { name: string; documents: number; f1: number; faults: object[] }[];
    expect({ code, ...report }).toMatchObject({
      code: 0,
      name: BANK_STATEMENTS.name,
      documents: 2,
      pages: 2,
      faults: [],
    });
    expect(report?.f1).toBeGreaterThan(0.7);
    expect(readFileSync(page, 'utf8')).toContain(`| ${BANK_STATEMENTS.name} | 2 | 2 | ${report?.f1.toFixed(3)} |`);
  });

  it('prints a table for people', async () => {
    const { code, stdout } = await docsvc.run(['bench', folder]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Class +Documents +Pages +F1 /u);
    expect(stdout).toContain(BANK_STATEMENTS.name);
  });

  it.each([
    ['a folder that is not there', () => join(folder, 'absent'), 'there is no folder'],
    ['a folder without gold', () => mkdtempSync(join(folder, 'empty-')), 'has no gold'],
    ['gold without its document', () => orphanIn(mkdtempSync(join(folder, 'orphan-'))), 'has no document beside it'],
  ])('fails for %s', async (_what, make, message) => {
    const { code, stderr } = await docsvc.run(['bench', make()]);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

function orphanIn(place: string): string {
  writeFileSync(join(place, 'schema.json'), JSON.stringify(BANK_STATEMENTS.schema));
  writeFileSync(join(place, 'a.gold.json'), '{}');
  return place;
}
