import { performance } from 'node:perf_hooks';
import { findMatches, planSearch } from '../../../src/core/search/find-matches.js';
import { chunkPage } from '../../../src/domain/chunks/chunk-page.js';
import { createTestDatabase } from '../../support/database/database.js';
import { plantOrganization } from '../../support/database/plant-organization.js';
import { plantDocument } from '../../support/search/plant-document.js';
import { keyOf, makeQuestions, type Question } from './questions.js';
import { generatePages } from './generated-pages.js';
import { readCorpus, type CorpusPage } from './corpus.js';
import { startMiniSearch, startPlainPostgres, type Search, type SearchedChunk } from './peers.js';
import { writeFileSync } from 'node:fs';

const corpus = readCorpus(process.argv[2] ?? '');
const chunksOf = (p: CorpusPage): SearchedChunk[] =>
  chunkPage(p.text).map(({ from, to }) => ({ page: keyOf(p), body: p.text.slice(from, to) }));
const real = corpus.pages.flatMap(chunksOf);
const total = Number(process.argv[3] ?? 0);
const generated = [...generatePages(corpus.pages, Math.max(0, total - real.length), 7)];
const pages = [...corpus.pages, ...generated];
const chunks = pages.flatMap(chunksOf);
const questions = makeQuestions(corpus, 20261124);
console.error(
  `${corpus.pages.length} pages, ${real.length} real chunks, ${chunks.length} chunks, ${questions.length} questions`,
);
writeFileSync('/tmp/s/questions.json', JSON.stringify(questions, null, 1));
if (process.env['ONLY_QUESTIONS']) process.exit(0);
const database = await createTestDatabase();
const { orgId, projectId } = await plantOrganization(database.owner);
const ground = { owner: database.owner, record: database.record, orgId, projectId };
let t = performance.now();
const names = new Map<string, string>();
for (const [name, some] of Map.groupBy(pages, (p) => p.document)) {
  const texts: string[] = [];
  for (const p of some) {
    while (texts.length < p.pageNumber - 1) texts.push('');
    texts.push(p.text);
  }
  const { documentId } = await plantDocument(ground, { name, pages: texts });
  names.set(documentId, name);
}
console.error('loaded', performance.now() - t);
console.error(database.ownerUrl, orgId, projectId);
await database.owner.query('vacuum analyze chunks');
await database.owner.query('vacuum analyze lexicon');
await database.owner.query('analyze');
const ours: Search = (question) =>
  database.record.inOrganization(orgId, async (tx) => {
    const { plan } = await planSearch(tx, projectId, question);
    return (await findMatches(tx, projectId, plan, {}, 11))
      .slice(0, 10)
      .map((m) => `${names.get(m.document_id)}:${m.page_number}`);
  });
const systems: Record<string, Search> = { ours };
if (process.argv[4]) {
  t = performance.now();
  const plain = await startPlainPostgres(database.owner, chunks);
  systems['pg_all'] = plain.all;
  systems['pg_any'] = plain.any;
  console.error('pg', performance.now() - t);
  t = performance.now();
  const mini = startMiniSearch(process.argv[4], chunks);
  systems['mini'] = mini.exact;
  systems['mini_fuzzy'] = mini.fuzzy;
  console.error('mini', performance.now() - t);
}
const missed: (Question & { by: string; got: string[] })[] = [];
for (const [name, search] of Object.entries(systems)) {
  const times: number[] = [];
  const hit: Record<string, number> = {};
  for (const q of questions) {
    const t0 = performance.now();
    const got = await search(q.text);
    times.push(performance.now() - t0);
    if (got.some((g) => q.answers.includes(g))) hit[q.set] = (hit[q.set] ?? 0) + 1;
    else missed.push({ ...q, by: name, got });
  }
  times.sort((a, b) => a - b);
  console.log(
    name,
    JSON.stringify(hit),
    'p50',
    times[150]?.toFixed(1),
    'p95',
    times[285]?.toFixed(1),
    'max',
    times.at(-1)?.toFixed(1),
  );
}
writeFileSync('/tmp/s/missed.json', JSON.stringify(missed, null, 1));
if (!process.env['KEEP']) await database.close();
process.exit(0);
