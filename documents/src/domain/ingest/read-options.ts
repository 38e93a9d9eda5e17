/** How a document is read. Together with its bytes it decides which earlier reading may be used again. */
export interface ReadOptions {
  /** Whether pages are recognized where their text layer does not say what they show. */
  ocr: boolean;
  /** Names of Tesseract's languages. */
  ocrLanguages: string[];
  /** A password was sent with the request to read it; it is no part of what is read. */
  withPassword: boolean;
}

/** A further way in which the same bytes would be read otherwise than before, so that older readings are not used again. */
const READING = 1;

/** What was asked for this version, else what its project says, else what everybody gets. */
export function readOptionsOf(asked: Record<string, unknown>, settings: Record<string, unknown>): ReadOptions {
  const { ocrMode = 'auto', ocrLanguages = ['eng'] } = { ...settings, ...asked };
  const languages = Array.isArray(ocrLanguages) ? ocrLanguages.filter((one) => typeof one === 'string') : [];
  return { ocr: ocrMode !== 'off', ocrLanguages: languages, withPassword: asked['withPassword'] === true };
}

/** A text that is the same for options under which the same is read. */
export function describeReading({ ocr, ocrLanguages }: ReadOptions): string {
  return JSON.stringify({ reading: READING, ocr, ocrLanguages: ocr ? ocrLanguages : [] });
}
