import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { recordAudit } from '../../core/audit/record-audit.js';
import { requireProject } from '../../core/projects/project-access.js';
import { citePassages, type PassagePlace } from '../../core/search/cite-passage.js';
import type { SearchFilters } from '../../core/search/match-chunks.js';
import { searchProject, type FoundPassage, type SearchAnswer } from '../../core/search/search-project.js';
import { DocsvcError } from '../../domain/errors.js';
import type { Caller } from '../http/caller.decorator.js';
import { openPosition, sealCursor } from '../http/page.js';
import { DocumentStore } from '../foundation/store.module.js';
import type { SearchAnswerView, SearchRequest, SearchResultView } from './search.dto.js';

/** Searches that read pages for their citations at once: each has one in memory. */
const CITED_AT_ONCE = 2;

/** Questions to the documents of a project (DI-019, DI-020). */
@Injectable()
export class SearchService {
  private readonly place = pLimit(CITED_AT_ONCE);

  constructor(private readonly documents: DocumentStore) {}

  /** @throws DocsvcError `not_implemented` for mode `semantic`, `invalid_request` for a cursor of another search */
  async search(caller: Caller, projectId: string, request: SearchRequest): Promise<SearchAnswerView> {
    const started = performance.now();
    const { query, mode = 'hybrid', limit, includeCitations = false } = request;
    if (mode === 'semantic') {
      throw new DocsvcError(
        'not_implemented',
        'mode: searching by meaning comes with the release that has semantic search; leave mode out to search by words',
      );
    }
    const list = nameOf(projectId, request);
    const position = request.cursor === undefined ? null : openPosition(caller, list, request.cursor);
    const answer = await this.find(caller, projectId, request, limit, position);
    const places = includeCitations ? await this.place(() => citePassages(this.documents.store, answer.passages)) : [];
    const results = answer.passages.map((passage, index) => viewResult(passage, places[index] ?? null));
    return {
      query,
      mode: 'lexical',
      degraded: mode === 'hybrid',
      tookMilliseconds: Math.round(performance.now() - started),
      results,
      nextCursor: sealCursor(caller, list, answer.next),
    };
  }

  private find(
    caller: Caller,
    projectId: string,
    { query, filters }: SearchRequest,
    limit: number,
    position: string | null,
  ): Promise<SearchAnswer> {
    return this.documents.inOrganization(caller, async (tx) => {
      await requireProject(tx, caller, projectId);
      const answer = await searchProject(tx, projectId, query, filtersOf(filters), limit, position);
      const documents = [...new Set(answer.passages.map(({ match }) => match.document_id))];
      await recordAudit(tx, caller, {
        ...{ action: 'search.read', subjectKind: 'project', subjectId: projectId, projectId },
        detail: { results: answer.passages.length, documents },
      });
      return answer;
    });
  }
}

/** A cursor goes on with the search of which it is. */
function nameOf(projectId: string, { query, filters = {} }: SearchRequest): string {
  const asked = JSON.stringify([query, Object.entries(filters).sort()]);
  return `search of ${projectId} for ${createHash('sha256').update(asked).digest('hex')}`;
}

function filtersOf({ updatedAfter, ...filters }: NonNullable<SearchRequest['filters']> = {}): SearchFilters {
  return { ...filters, ...(updatedAfter === undefined ? {} : { updatedAfter: new Date(updatedAfter) }) };
}

function viewResult({ match, chunk, excerpt, score }: FoundPassage, place: PassagePlace | null): SearchResultView {
  const of = { documentId: match.document_id, documentName: match.document_name, documentVersionId: match.version_id };
  const sheet = {
    ...(chunk.sheet_name === null ? {} : { sheetName: chunk.sheet_name }),
    ...(chunk.cell_range === null ? {} : { cellRange: chunk.cell_range }),
  };
  const result = {
    ...of,
    version: match.version,
    pageNumber: match.page_number,
    excerpt: excerpt.text,
    score,
    ...sheet,
  };
  if (place === null) return result;
  const citation = {
    ...of,
    pageNumber: match.page_number,
    ...(chunk.label === null ? {} : { pageLabel: chunk.label }),
    page: place.page,
    boundingBoxes: place.boxes.map(([x, y, width, height]) => ({ x, y, width, height })),
    ...{ excerpt: excerpt.text, charRange: place.charRange, match: place.match, source: place.source },
    ...sheet,
  };
  return { ...result, citations: [citation] };
}
