import type { KnownTerm } from '../../domain/search/query-plan.js';
import type { QueryTerm } from '../../domain/search/query-terms.js';
import { repairWord, type Resemblance } from '../../domain/search/repair-word.js';
import type { RecordTransaction } from '../record/record.js';

export interface KnownTerms {
  terms: KnownTerm[];
  /** Chunks of the project. */
  chunks: number;
}

interface Stems {
  stems: string[];
  /** Share of the project's chunks in whose language the word says nothing. */
  stops: number;
}

/** A word that says nothing in this share of the project is not looked for. */
const STOPS = 0.5;
/** Unknown words that are repaired: comparing trigrams is the dearest part of a query. */
const MOST_REPAIRED = 5;
const SHORTEST_REPAIRED = 4;

/** Looks the terms of a query up in the lexicon of a project: what each is found by there, and in how many chunks. */
export async function knowTerms(
  tx: RecordTransaction,
  projectId: string,
  terms: readonly QueryTerm[],
): Promise<KnownTerms> {
  const every = terms.flatMap((term) => [term, ...term.parts]);
  const { stems, chunks } = await readStems(tx, projectId, every);
  const counts = await countLexemes(
    tx,
    projectId,
    every.flatMap((term) => lexemesOf(term, stems)),
  );
  const unknown = every.filter(
    (term) => canBeRepaired(term) && lexemesOf(term, stems).every((lexeme) => !counts.has(lexeme)),
  );
  const resembling = await readResemblances(tx, projectId, unknown.slice(0, MOST_REPAIRED));
  const know = (term: QueryTerm): KnownTerm => {
    const lexemes = lexemesOf(term, stems).filter((lexeme) => counts.has(lexeme));
    const parts = term.parts.map(know);
    if (lexemes.length > 0)
      return { term, lexemes, parts, likeness: 1, chunks: mostOf(lexemes.map((lexeme) => counts.get(lexeme))) };
    const candidates = resembling.get(term.word ?? '') ?? [];
    const repair = repairWord(term.word ?? '', candidates);
    const repaired = candidates.filter(({ lexeme }) => repair.lexemes.includes(lexeme));
    return {
      term,
      lexemes: repair.lexemes,
      parts,
      likeness: repair.likeness,
      chunks: mostOf(repaired.map((one) => one.chunks)),
    };
  };
  const isStop = ({ word, parts }: QueryTerm): boolean =>
    parts.length === 0 && (stems.get(word ?? '')?.stops ?? 0) >= STOPS;
  const telling = terms.filter((term) => !isStop(term));
  return { terms: (telling.length > 0 ? telling : terms).map(know), chunks };
}

const mostOf = (counts: readonly (number | undefined)[]): number => Math.max(0, ...counts.map((count) => count ?? 0));

const lexemesOf = ({ word, lexemes }: QueryTerm, stems: ReadonlyMap<string, Stems>): string[] => [
  ...new Set([...lexemes, ...(stems.get(word ?? '')?.stems ?? [])]),
];

const canBeRepaired = ({ word }: QueryTerm): boolean =>
  word !== null && word.length >= SHORTEST_REPAIRED && /^\p{L}+$/u.test(word);

async function readStems(
  tx: RecordTransaction,
  projectId: string,
  terms: readonly QueryTerm[],
): Promise<{ stems: Map<string, Stems>; chunks: number }> {
  const words = [...new Set(terms.flatMap(({ word }) => (word === null ? [] : [word])))];
  const rows = await tx.query<Stems & { word: string | null; chunks: number }>(
    'select * from docsvc_stem_words($1, $2)',
    [projectId, words],
  );
  return {
    stems: new Map(rows.flatMap(({ word, ...found }) => (word === null ? [] : [[word, found] as const]))),
    chunks: rows.find(({ word }) => word === null)?.chunks ?? 0,
  };
}

async function countLexemes(
  tx: RecordTransaction,
  projectId: string,
  lexemes: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.query<{ lexeme: string; chunks: number }>('select * from docsvc_count_lexemes($1, $2)', [
    projectId,
    [...new Set(lexemes)],
  ]);
  return new Map(rows.map(({ lexeme, chunks }) => [lexeme, chunks]));
}

async function readResemblances(
  tx: RecordTransaction,
  projectId: string,
  terms: readonly QueryTerm[],
): Promise<Map<string, Resemblance[]>> {
  if (terms.length === 0) return new Map();
  const rows = await tx.query<Resemblance & { word: string }>('select * from docsvc_resemble_words($1, $2)', [
    projectId,
    terms.map(({ word }) => word),
  ]);
  return Map.groupBy(rows, ({ word }) => word);
}
