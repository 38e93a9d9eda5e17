import type { JsonValue } from '../../../../src/domain/json.js';
import { valueAt } from '../../domain/json-pointer.js';
import type { Schemas } from '../server/schemas.js';
import type { DocumentResult } from './result-lines.js';

/** Columns of leaves with their places. */
export const CITED_LEAF = {
  ...{ Document: 'document', Field: 'field', Value: 'value', Confidence: 'confidence' },
  ...{ Page: 'pages', Excerpt: 'excerpt', Boxes: 'boxes' },
};

type Citation = Schemas['Citation'];

/** Every leaf of a result in a row of its own, with where it stands. */
export function citedLeaves({ documentName, data, fields }: DocumentResult): object[] {
  return Object.entries(fields).map(([path, { confidence, citations }]) => ({
    document: documentName,
    field: path,
    value: valueAt(data as JsonValue, path),
    confidence: confidence.toFixed(2),
    pages: [...new Set(citations.map(({ pageNumber }) => pageNumber))].join(' '),
    excerpt: citations.map(({ excerpt }) => excerpt).join(' | '),
    boxes: boxesOf(citations),
  }));
}

/** Boxes as a person reads them: page, then left, top, width and height in percent of it. */
export function boxesOf(citations: readonly Pick<Citation, 'pageNumber' | 'boundingBoxes'>[]): string {
  return citations
    .flatMap(({ pageNumber, boundingBoxes }) =>
      boundingBoxes.map(({ x, y, width, height }) => {
        const percents = [x, y, width, height].map((side) => `${Math.round(side * 1_000) / 10}%`);
        return `p${pageNumber} ${percents.join(' ')}`;
      }),
    )
    .join('; ');
}
