import { beforeAll, expect, it } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { IS_NIGHTLY } from '../../../../test/support/nightly/nightly.js';
import { until } from '../../../../test/support/installation/started-sandgate.js';
import { makePdf } from '../../support/documents/make-pdf.js';
import type { StartedDocsvc } from '../../support/installation/started-docsvc.js';

const TEXTS = IS_NIGHTLY ? 8 : 5;
const PAGES = IS_NIGHTLY ? 150 : 100;

interface Added {
  document: { id: string };
  version: { status: string };
}

/** @param start the installation, which may run already */
export function outlivesItsDriver(start: () => Promise<StartedDocsvc>): void {
  let started: StartedDocsvc;
  let projectId: string;

  beforeAll(async () => {
    started = await start();
    const workspace = await post<{ id: string }>('/api/workspaces', { name: 'Harbour' });
    projectId = (await post<{ id: string }>('/api/projects', { name: 'Pilots', workspaceId: workspace.id })).id;
  });

  async function post<T>(path: string, body: object): Promise<T> {
    const answer = await started.request(path, { method: 'POST', body: JSON.stringify(body) });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${said}`);
    return JSON.parse(said) as T;
  }

  async function add(name: string, bytes: Buffer): Promise<string> {
    const body = { name, contentBase64: bytes.toString('base64') };
    return (await post<Added>(`/api/projects/${projectId}/documents`, body)).document.id;
  }

  async function statusOf(documentId: string): Promise<string> {
    const answer = await started.request(`/api/documents/${documentId}`);
    return ((await answer.json()) as { status: string }).status;
  }

  /** What an operator would do to a broken store; the supervisor starts Temporal again. */
  function loseStore(): void {
    process.kill(started.pidOf('temporal'), 'SIGKILL');
    const { dataDir } = started;
    for (const file of readdirSync(dataDir)) if (file.startsWith('temporal.db')) rmSync(join(dataDir, file));
  }

  it('DI-005 documents that wait, are read, or come meanwhile are ready when Temporal is killed and its store deleted', async () => {
    const lines = Array.from({ length: 25 }, (_, line) => `line ${line}: the pilot boards at the outer buoy.`);
    const long = await add('long.pdf', await makePdf(Array.from({ length: PAGES }, () => lines)));
    const texts = await Promise.all(
      Array.from({ length: TEXTS }, (_, number) => add(`${number}.txt`, Buffer.from(`Tide table ${number}\n`))),
    );
    expect(await statusOf(long)).not.toBe('ready');

    loseStore();
    const late = await add('late.txt', Buffer.from('Written while nothing drives.\n'));

    for (const id of [long, ...texts, late])
      await until(async () => (await statusOf(id)) === 'ready', 180_000, `document ${id} to be ready`);
    const found = await post<{ results: { documentId: string; pageNumber: number }[] }>(
      `/api/projects/${projectId}/search`,
      { query: '"outer buoy"' },
    );
    expect(found.results[0]?.documentId).toBe(long);
    const pages = (await (await started.request(`/api/documents/${long}`)).json()) as { pageCount: number };
    expect(pages.pageCount).toBe(PAGES);
  }, 400_000);
}
