import type { Page, ParseFailure } from '../../domain/page-model.js';

/** What the programs `pdf` and `image` are asked; one call is one request. A password is of this call alone. */
export type PageRequest =
  /** Answers one `Inspection`. */
  | { do: 'inspect'; password?: string }
  /**
   * Answers a {@link ReadPage} or {@link LostPage} for each page from `from` to `to`, without recognizing pictures. A program may begin with the
   * pages after them when there is more to come.
   */
  | { do: 'read'; from: number; to: number; isMoreToCome?: boolean; password?: string }
  /** Answers one {@link ReadPage} whose pictures were read by Tesseract in `languages` (`eng`, `deu`, …). */
  | { do: 'recognize'; pageNumber: number; languages: readonly string[]; password?: string }
  /** Answers one {@link RenderedPage}; `dpi` is 36…200. */
  | { do: 'render'; pageNumber: number; dpi: number; password?: string };

export interface ReadPage {
  page: Page;
  /** True when the page has something to see that its text layer does not say; `recognize` gives the page with it. */
  needsOcr: boolean;
}

/** A page that could not be read although the others of its call could. */
export interface LostPage {
  pageNumber: number;
  failure: ParseFailure;
}

export interface RenderedPage {
  pageNumber: number;
  /** Pixels of the picture. */
  width: number;
  height: number;
  /** A PNG, in base64. */
  png: string;
}
