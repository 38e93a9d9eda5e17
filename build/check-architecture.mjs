/**
 * Compares ARCHITECTURE.md with the tree: its map names every folder under src and documents/src with one sentence and no folder that is not there, and its
 * walks are no longer than promised (that the paths it names are there is seen to by check-citations.mjs). Then looks for circles of
 * folders, a folder and those within it included, which dependency-cruiser does not tell apart; and for source files that are too long.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const MAP = 'ARCHITECTURE.md';
/** The folders whose own folders the map names. */
const MAPPED = ['src', 'documents/src'];
const SOURCES = '{,documents/}{src,migrations,test,build,bootstrap,bin}/**/*.{ts,js,mjs,cjs,sql,sh,c,h}';
const GENERATED = ['src/client/schema.d.ts', 'migrations/schema.sql'].flatMap((file) => [file, `documents/${file}`]);
const MAX_LINES = 300;
/** Most files of a walk, by its heading. */
const WALKS = { 'One verdict': 15, 'One brokered call': 25 };

const text = readFileSync(MAP, 'utf8');
const faults = [...mapFaults(), ...walkFaults()].map((fault) => `${MAP}: ${fault}`);
faults.push(...circles().map((folders) => `a circle of folders: ${folders.join(', ')}`));
faults.push(...longFiles());
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

function mapFaults() {
  const named = [...text.matchAll(/^\| `((?:documents\/)?src\/[^`]+)` \| ([^|]*) \|/gm)].map(([, folder, says]) => [
    folder,
    says.trim(),
  ]);
  const rows = new Map(named.toReversed());
  const there = MAPPED.flatMap(foldersBelow);
  return [
    ...there.filter((folder) => !rows.has(folder)).map((folder) => `the map does not name ${folder}`),
    ...[...rows.keys()].filter((folder) => !there.includes(folder)).map((folder) => `${folder} is not there`),
    ...named.filter((row) => rows.get(row[0]) !== row[1]).map(([folder]) => `the map names ${folder} twice`),
    ...[...rows]
      .filter(([, says]) => says === '' || /[.?!] \S/.test(says))
      .map(([folder]) => `${folder} needs one sentence`),
  ];
}

function foldersBelow(folder) {
  const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return inside.flatMap(({ name }) => [`${folder}/${name}`, ...foldersBelow(`${folder}/${name}`)]);
}

function walkFaults() {
  return Object.entries(WALKS).flatMap(([heading, most]) => {
    const [, section] = text.match(new RegExp(`^### ${heading}\n([^]*?)(?=^#|$(?![^]))`, 'm')) ?? [];
    if (section === undefined) return [`there is no walk "${heading}"`];
    const steps = section.match(/^\d+\. /gm)?.length ?? 0;
    return steps > 0 && steps <= most ? [] : [`the walk "${heading}" has ${steps} files, and may have ${most}`];
  });
}

/** Sets of folders that reach each other by imports, types included; specs may import what they try. */
function circles() {
  const reached = importsOfFolders();
  const found = [];
  for (const folder of reached.keys()) {
    if (found.some((circle) => circle.includes(folder))) continue;
    const circle = [...reached.keys()].filter(
      (other) => reaches(reached, folder, other) && reaches(reached, other, folder),
    );
    if (circle.length > 1) found.push(circle.toSorted());
  }
  return found;
}

function importsOfFolders() {
  const imports = new Map();
  for (const file of globSync(MAPPED.map((folder) => `${folder}/**/*.ts`)).filter(
    (name) => !name.endsWith('.spec.ts'),
  )) {
    const folder = dirname(file);
    const others = imports.get(folder) ?? new Set();
    imports.set(folder, others);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from|import\(|import) '(\.{1,2}\/[^']+)'/g)) {
      const other = dirname(posix.normalize(join(folder, name)));
      if (other !== folder && MAPPED.some((part) => other.startsWith(part))) others.add(other);
    }
  }
  return imports;
}

function reaches(imports, from, to) {
  const seen = new Set();
  const open = [...(imports.get(from) ?? [])];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (folder === to) return true;
    if (seen.has(folder)) continue;
    seen.add(folder);
    open.push(...(imports.get(folder) ?? []));
  }
  return false;
}

function longFiles() {
  return globSync(SOURCES)
    .map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1])
    .filter(([file, lines]) => lines > MAX_LINES && !GENERATED.includes(file))
    .map(([file, lines]) => `${file} has ${lines} lines, and may have ${MAX_LINES}: split it by subject`);
}
