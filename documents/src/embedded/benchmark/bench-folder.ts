import { readSections } from '../../../../src/platform/config/read-sections.js';
import { DocsvcError } from '../../domain/errors.js';
import { ParsingConfig } from '../../platform/config/parsing.config.js';
import { buildParserJail } from '../../platform/parsing/build-parser-jail.js';
import { DocumentReader } from '../../platform/parsing/document-reader.js';
import { benchDocument } from './bench-document.js';
import { reportOf, type ClassReport } from './class-report.js';
import { goldClassesOf } from './gold-classes.js';
import { readDocument, readingOf } from './read-document.js';

/**
 * Reads every document of a folder with gold on this host, extracts from it by the local engine, and says what came of it, class by class.
 *
 * @param names of the classes; all where there is none
 * @param told what is being read
 * @throws DocsvcError for a folder without gold, or without a class of these names, and for a document that cannot be read
 */
export async function benchFolder(
  folder: string,
  names: readonly string[],
  told: (message: string) => void,
): Promise<ClassReport[]> {
  const all = goldClassesOf(folder);
  const unknown = names.filter((name) => !all.some((one) => one.name === name));
  if (unknown.length > 0) {
    const known = all.map(({ name }) => name).join(', ');
    throw new DocsvcError('not_found', `${folder} has no ${unknown.join(', ')}; it has ${known}`);
  }
  const { parsing } = readSections({ parsing: ParsingConfig }, process.env);
  const reader = new DocumentReader(await buildParserJail(parsing));
  const reports: ClassReport[] = [];
  try {
    for (const one of all.filter(({ name }) => names.length === 0 || names.includes(name))) {
      const benched = [];
      for (const document of one.documents) {
        told(`${one.name}: ${document.name}`);
        benched.push(benchDocument(one, document, readingOf(await readDocument(reader, document.file))));
      }
      reports.push(reportOf(one.name, benched));
    }
  } finally {
    await reader.close();
  }
  return reports;
}
