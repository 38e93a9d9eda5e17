import type { LeafTarget } from '../compile/target.js';
import type { Features } from './features.js';
import { findLabels, type LabelHit } from './find-labels.js';
import { placesOfLabel, type LabelPlace } from './label-places.js';
import type { PartOfDocument } from './part-of-document.js';

/** A place that a label of a leaf names. */
export interface NamedPlace extends LabelPlace {
  hit: LabelHit;
  features: Features;
}

const LONG_LABEL = 24;

/** Every place in a part of a document that a label of a leaf names. */
export function namedPlaces(target: LeafTarget, part: PartOfDocument): NamedPlace[] {
  const hits = findLabels(target, part.index, (block) => part.holds(block));
  return hits.flatMap((hit) =>
    placesOfLabel(hit, part.index)
      .filter(({ block }) => part.holds(block))
      .map((place) => ({ ...place, hit, features: featuresOf(hit, place) })),
  );
}

function featuresOf(hit: LabelHit, { relation, rank, isColumn = false }: LabelPlace): Features {
  return {
    label: hit.label.weight,
    ...(hit.label.from === 'quoted' ? { quoted: 1 } : {}),
    length: Math.min(1, hit.length / LONG_LABEL),
    ...(hit.isMarked ? { marked: 1 } : {}),
    ...(hit.isFirst ? { first: 1 } : {}),
    ...(hit.isRival && !isColumn ? { rival: 1 } : {}),
    foreign: isColumn ? 0 : Math.min(1, hit.foreign / 3),
    neutral: isColumn ? 0 : Math.min(1, hit.neutral / 4),
    [relation]: 1,
    rank: Math.min(1, rank / 3),
  };
}
