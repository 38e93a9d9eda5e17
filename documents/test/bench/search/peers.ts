import { createRequire } from 'node:module';
import { join } from 'node:path';
import type pg from 'pg';

/** A stretch of a page, as every system of the comparison gets it. */
export interface SearchedChunk {
  /** `document:page`. */
  page: string;
  body: string;
}

/** Pages of the ten best chunks. */
export type Search = (question: string) => Promise<string[]>;

const TEN = 10;

/** What an application gets from PostgreSQL by itself: an English vector and a query as people type it, by all words or by any. */
export async function startPlainPostgres(
  owner: pg.Pool,
  chunks: readonly SearchedChunk[],
): Promise<{ all: Search; any: Search }> {
  await owner.query(`create table peer_chunks (page text not null, body text not null,
    tsv tsvector generated always as (to_tsvector('english', body)) stored)`);
  for (let at = 0; at < chunks.length; at += 5000) {
    const some = chunks.slice(at, at + 5000);
    await owner.query('insert into peer_chunks (page, body) select * from unnest($1::text[], $2::text[])', [
      some.map(({ page }) => page),
      some.map(({ body }) => body),
    ]);
  }
  await owner.query('create index on peer_chunks using gin (tsv)');
  await owner.query('vacuum analyze peer_chunks');
  const ask =
    (query: string): Search =>
    async (question) => {
      const { rows } = await owner.query<{ page: string }>(
        `select page from peer_chunks, (select ${query} as q) asked where tsv @@ q order by ts_rank_cd(tsv, q) desc limit ${TEN}`,
        [question],
      );
      return rows.map(({ page }) => page);
    };
  return {
    all: ask(`websearch_to_tsquery('english', $1)`),
    any: ask(`(replace(plainto_tsquery('english', $1)::text, '&', '|'))::tsquery`),
  };
}

interface MiniSearchIndex {
  addAll(documents: readonly object[]): void;
  search(query: string, options?: object): { id: number }[];
}

/** @param folder where the npm package `minisearch` lies */
export function startMiniSearch(folder: string, chunks: readonly SearchedChunk[]): { exact: Search; fuzzy: Search } {
  const required = createRequire(join(folder, 'package.json'))('minisearch') as
    | (new (options: object) => MiniSearchIndex)
    | { default: new (options: object) => MiniSearchIndex };
  const MiniSearch = 'default' in required ? required.default : required;
  const index = new MiniSearch({ fields: ['body'] });
  index.addAll(chunks.map(({ body }, id) => ({ id, body })));
  const ask =
    (options?: object): Search =>
    (question) =>
      Promise.resolve(
        index
          .search(question, options)
          .slice(0, TEN)
          .map(({ id }) => chunks[id]?.page ?? ''),
      );
  return { exact: ask(), fuzzy: ask({ fuzzy: 0.2 }) };
}
