import { tmpdir } from 'node:os';
import { startServicesIn } from '../../../../test/support/database/start-services.js';
import stopServices from '../../../../test/support/database/stop-services.js';
import { atLeast, atMost, type RowFindings } from '../../../../test/bench/row.js';
import { searchProject } from '../../../src/core/search/search-project.js';
import { chunkPage } from '../../../src/domain/chunks/chunk-page.js';
import { createTestDatabase } from '../../support/database/database.js';
import { plantOrganization } from '../../support/database/plant-organization.js';
import { plantDocument, type PlantingGround } from '../../support/search/plant-document.js';
import { readCorpus, type CorpusPage } from './corpus.js';
import { generatePages } from './generated-pages.js';
import { installPeer } from '../peers/installed-peers.js';
import { startMiniSearch, startPlainPostgres, type Search, type SearchedChunk } from './peers.js';
import { keyOf, makeQuestions, type Question } from './questions.js';

const QUESTIONS_SEED = 20_261_124;
const PAGES_SEED = 7;
const TEN = 10;

type Recall = Record<Question['set'], number>;

interface Measured {
  recall: Recall;
  all: number;
  p50: number;
  p95: number;
}

/**
 * Three hundred questions to a hundred thousand chunks: the documents of a folder among generated pages. The same chunks and questions go
 * to plain PostgreSQL full text and to MiniSearch, each in the two ways in which it is used; the better one counts, hundred by hundred.
 *
 * @throws Error without a folder of documents
 */
export async function measureSearch(folder: string | undefined, chunkCount: number): Promise<RowFindings> {
  if (folder === undefined) throw new Error('search needs the folder of the documents that are searched');
  const miniSearch = installPeer('minisearch');
  const corpus = readCorpus(folder);
  const questions = makeQuestions(corpus, QUESTIONS_SEED);
  const own = corpus.pages.flatMap(chunksOf).length;
  const pages = [...corpus.pages, ...generatePages(corpus.pages, Math.max(0, chunkCount - own), PAGES_SEED)];
  const chunks = pages.flatMap(chunksOf);
  await startServicesIn(tmpdir());
  try {
    const database = await createTestDatabase();
    const ground = { owner: database.owner, record: database.record, ...(await plantOrganization(database.owner)) };
    const docsvc = await measure('docsvc', await plantAll(ground, pages), questions);
    const plain = await startPlainPostgres(database.owner, chunks);
    const all = await measure('PostgreSQL, all words', plain.all, questions);
    const any = await measure('PostgreSQL, any word', plain.any, questions);
    await database.close();
    const mini = startMiniSearch(miniSearch, chunks);
    const exact = await measure('MiniSearch', mini.exact, questions);
    const fuzzy = await measure('MiniSearch, fuzzy', mini.fuzzy, questions);
    return findings(docsvc, { postgres_all: all, postgres_any: any, minisearch: exact, minisearch_fuzzy: fuzzy }, [
      `${chunks.length} chunks, of which ${own} are of ${corpus.pages.length} pages of documents`,
      'recall of the page among the first ten results, of 100 questions each; latency of one caller',
    ]);
  } finally {
    await stopServices();
  }
}

const chunksOf = (page: CorpusPage): SearchedChunk[] =>
  [...chunkPage(page.text)].map(({ from, to }) => ({ page: keyOf(page), body: page.text.slice(from, to) }));

/** Loads every page the way the pipeline does. */
async function plantAll(ground: PlantingGround, pages: readonly CorpusPage[]): Promise<Search> {
  const names = new Map<string, string>();
  for (const [name, some] of Map.groupBy(pages, ({ document }) => document)) {
    const texts = Array.from({ length: some.at(-1)?.pageNumber ?? 0 }, () => '');
    for (const { pageNumber, text } of some) texts[pageNumber - 1] = text;
    const { documentId } = await plantDocument(ground, { name, pages: texts });
    names.set(documentId, name);
  }
  await ground.owner.query('vacuum analyze');
  process.stderr.write(`bench: ${pages.length} pages are loaded\n`);
  return (question) =>
    ground.record.inOrganization(ground.orgId, async (tx) => {
      const { passages } = await searchProject(tx, ground.projectId, question, {}, TEN, null);
      return passages.map(({ match }) => `${names.get(match.document_id)}:${match.page_number}`);
    });
}

async function measure(name: string, search: Search, questions: readonly Question[]): Promise<Measured> {
  const recall: Recall = { asked: 0, typo: 0, respelled: 0 };
  const times: number[] = [];
  for (const { text } of questions.slice(0, TEN)) await search(text);
  for (const { text, set, answers } of questions) {
    const start = performance.now();
    const found = await search(text);
    times.push(performance.now() - start);
    if (found.some((page) => answers.includes(page))) recall[set] = Math.round(recall[set] * 100 + 1) / 100;
  }
  times.sort((one, other) => one - other);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  const all = (recall.asked + recall.typo + recall.respelled) / 3;
  process.stderr.write(`bench: ${name}: ${JSON.stringify(recall)}, p95 ${Math.round(at(0.95))} ms\n`);
  return { recall, all, p50: at(0.5), p95: at(0.95) };
}

function findings(docsvc: Measured, peers: { [name: string]: Measured }, notes: string[]): RowFindings {
  const best = (set: Question['set']): number => Math.max(...Object.values(peers).map(({ recall }) => recall[set]));
  const figuresOf = ({ recall, all, p50, p95 }: Measured): { [name: string]: number } => ({
    ...{ recall_asked: recall.asked, recall_typo: recall.typo, recall_respelled: recall.respelled, recall: all },
    ...{ p50_ms: p50, p95_ms: p95 },
  });
  const values = figuresOf(docsvc);
  return {
    values,
    unit: Object.fromEntries(Object.keys(values).map((name) => [name, name.endsWith('_ms') ? 'ms' : 'of 1'])),
    baseline: Object.fromEntries(
      Object.entries(peers).flatMap(([peer, measured]) =>
        Object.entries(figuresOf(measured)).map(([name, value]) => [`${peer}_${name}`, value]),
      ),
    ),
    targets: [
      atMost('95th percentile of a search', docsvc.p95, 150, 'ms'),
      atLeast('recall of all', docsvc.all, 0.9, 'of 1'),
      atLeast('recall of questions, not below the best peer', docsvc.recall.asked, best('asked'), 'of 1'),
      atLeast('recall with a typing error, above the best peer', docsvc.recall.typo, best('typo') + 0.005, 'of 1'),
      atLeast(
        'recall of other spellings, above the best peer',
        docsvc.recall.respelled,
        best('respelled') + 0.005,
        'of 1',
      ),
    ],
    notes,
  };
}
