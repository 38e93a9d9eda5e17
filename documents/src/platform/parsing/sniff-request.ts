import type { DocumentKind } from '../../domain/page-model.js';

export const FORMATS = [
  'pdf',
  'png',
  'jpeg',
  'tiff',
  'webp',
  'bmp',
  'xlsx',
  'xls',
  'ods',
  'csv',
  'tsv',
  'plain',
  'markdown',
  'other',
] as const;

export type Format = (typeof FORMATS)[number];

/** What the program `sniff` is asked: the bytes decide, and the name only which kind of text a text is. */
export interface SniffRequest {
  name?: string;
}

/** What it answers, once. */
export interface Sniffed {
  kind: DocumentKind;
  format: Format;
  contentType: string;
}
