/** What a page's text layer says, and how much of the page pictures cover. */
export interface PageSight {
  text: string;
  /** Share of the page under pictures, 0…1. */
  imageCoverage: number;
  /** True when something is drawn that may be letters: outlines, say. */
  drawn: boolean;
}

export type OcrNeed = 'none' | 'page' | 'regions';

const FEW_CHARACTERS = 20;
/** Up to this many characters a page under a picture counts as sparse: a stamp or a page number over a scan. */
const SPARSE_CHARACTERS = 200;
const MAX_UNREADABLE = 0.6;
const MOST_OF_THE_PAGE = 0.8;

/**
 * Whether pictures of a page must be read: it says next to nothing, it says what no person can read, or a picture covers most of it.
 * A page that says something useful has its pictures read and nothing else (`regions`).
 */
export function ocrNeed({ text, imageCoverage, drawn }: PageSight): OcrNeed {
  const { usable, unreadable } = countCharacters(text);
  if (unreadable > 0 && unreadable > (usable + unreadable) * MAX_UNREADABLE) return 'page';
  if (usable < FEW_CHARACTERS) {
    if (imageCoverage === 0 && !drawn) return 'none';
    return usable === 0 || imageCoverage === 0 ? 'page' : 'regions';
  }
  return imageCoverage > MOST_OF_THE_PAGE && usable < SPARSE_CHARACTERS ? 'regions' : 'none';
}

/** True when a text is so short or so unreadable that its page's pictures must be looked at before `ocrNeed` can tell. */
export function mayNeedOcr(text: string): boolean {
  const { usable, unreadable } = countCharacters(text);
  return usable < SPARSE_CHARACTERS || unreadable > (usable + unreadable) * MAX_UNREADABLE;
}

function countCharacters(text: string): { usable: number; unreadable: number } {
  return { usable: text.match(USABLE)?.length ?? 0, unreadable: text.match(UNREADABLE)?.length ?? 0 };
}

const USABLE = /[\p{L}\p{N}]/gu;
const UNREADABLE = /[\p{Co}\p{Cn}\uFFFD]|(?!\s)\p{Cc}/gu;
