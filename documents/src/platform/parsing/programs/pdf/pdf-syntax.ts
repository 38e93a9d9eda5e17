/** What a document may ask for that is never done. */
export type PdfMark = 'script' | 'launch' | 'remote' | 'embedded' | 'xfa';

const MARKS: Readonly<Record<string, PdfMark>> = {
  JS: 'script',
  JavaScript: 'script',
  Launch: 'launch',
  GoToR: 'remote',
  GoToE: 'remote',
  SubmitForm: 'remote',
  ImportData: 'remote',
  EmbeddedFile: 'embedded',
  EmbeddedFiles: 'embedded',
  XFA: 'xfa',
};
const MARK = new RegExp(String.raw`/(${Object.keys(MARKS).join('|')})(?![A-Za-z0-9#])`, 'g');

/** Names of things that are ignored, as they stand in the text of a PDF. */
export function pdfMarks(syntax: string): Set<PdfMark> {
  const found = new Set<PdfMark>();
  for (const match of syntax.matchAll(MARK)) {
    const mark = MARKS[match[1] ?? ''];
    if (mark !== undefined) found.add(mark);
  }
  return found;
}

const FILTER =
  /\/(?:ASCIIHexDecode|ASCII85Decode|LZWDecode|FlateDecode|RunLengthDecode|CCITTFaxDecode|JBIG2Decode|DCTDecode|JPXDecode|Crypt|AHx|A85|LZW|Fl|RL|CCF|DCT)\s*/g;

/** The most filters that stand one after the other, in a stream's dictionary or an array that one points to. */
export function runOfFilters(syntax: string): number {
  let [most, run, end] = [0, 0, -1];
  for (const match of syntax.matchAll(FILTER)) {
    run = match.index === end ? run + 1 : 1;
    end = match.index + match[0].length;
    most = Math.max(most, run);
  }
  return most;
}

export interface StreamDictionary {
  /** Names of its filters, in the order in which they are undone. */
  filters: string[];
  /** As stated; null where another object states it. */
  length: number | null;
  /** How many objects it holds, for a stream of objects. */
  objectsInside: number;
}

/** Reads the dictionary before a stream, the last of `syntax`. */
export function dictionaryOf(syntax: string): StreamDictionary {
  const dictionary = syntax.slice(Math.max(0, syntax.lastIndexOf(' obj')));
  const stated = /\/Filter\s*(\[[^\]]*\]|\/[^\s/<>[\]()]+)/.exec(dictionary)?.[1] ?? '';
  const filters = [...stated.matchAll(/\/([^\s/<>[\]()]+)/g)].map((match) => unescapeName(match[1] ?? ''));
  const length = /\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(dictionary)?.[1];
  const inside = /\/Type\s*\/ObjStm/.test(dictionary) ? /\/N\s+(\d+)/.exec(dictionary)?.[1] : undefined;
  return {
    filters,
    length: length === undefined ? null : Number(length),
    objectsInside: Number(inside ?? 0),
  };
}

/** A name may write any of its characters by number: `/Fl#61teDecode`. */
const unescapeName = (name: string): string =>
  name.replace(/#([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
