/** What one jailed program is given beside its own bundle. */
export interface ParserProgram {
  /** Packages whose native parts cannot be bundled: shown to the program whole, by their names in `node_modules`. */
  packages: readonly string[];
}

/** Native libraries of packages stand in packages of the platform beside them. */
const SHARP = [
  'sharp',
  '@img/colour',
  `@img/sharp-linux-${process.arch}`,
  `@img/sharp-libvips-linux-${process.arch}`,
  'detect-libc',
  'semver',
];
const LITEPARSE = ['@llamaindex/liteparse', `@llamaindex/liteparse-linux-${process.arch}-gnu`];

/** Every jailed program, by the name of its folder in `programs` and of its bundle. */
export const PARSER_PROGRAMS = {
  /** Kind and content type by the bytes alone. */
  sniff: { packages: [] },
  /** XLSX, XLS, ODS, CSV, TSV: a sheet is a page. */
  spreadsheet: { packages: [] },
  /** TXT, MD: a fixed number of lines is a page. */
  text: { packages: [] },
  /** PDF: text, tables, pictures and their recognition. */
  pdf: { packages: [...LITEPARSE, ...SHARP] },
  /** PNG, JPEG, TIFF, WebP, BMP: a frame is a page. */
  image: { packages: SHARP },
} as const satisfies Record<string, ParserProgram>;

export type ParserName = keyof typeof PARSER_PROGRAMS;
