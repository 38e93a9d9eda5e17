import { buildParserJail } from '../platform/parsing/build-parser-jail.js';

/** Builds the jail in which this host would open documents. @throws DocsvcError `unavailable` with what is missing */
export async function trySandbox(): Promise<void> {
  // The trial runs as whoever asks; uids are for documents.
  await buildParserJail({ uidBase: 0 });
}
