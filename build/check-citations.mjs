/**
 * Refuses citations that a reader of the repository cannot follow (see citations.mjs): chapters of other documents, requirement ids
 * and proofs that do not exist, pages and links that lead nowhere. Usage: npm run citations
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { anchorsOf, findFaults, proofNumbers } from './citations.mjs';

/** Recordings, foreign listings and generated files. */
const NOT_OURS = [
  /^package-lock\.json$/,
  /^harnesses\/[^/]+\/package-lock\.json$/,
  /^(documents\/)?test\/replay\/histories\//,
  /^test\/support\/shell\/ordinary-lines\.json$/,
  /^build\/citations\.spec\.mjs$/,
];

const anchors = new Map();
const repository = {
  requirements: new Set(
    readFileSync('docs/requirements.md', 'utf8')
      .match(/^\| (?:CP|DI)-\d{3} /gm)
      ?.map((id) => id.slice(2, -1)),
  ),
  proofs: proofNumbers(readFileSync('docs/proofs.md', 'utf8')),
  exists: (path) => existsSync(path),
  headings(path) {
    if (!anchors.has(path)) anchors.set(path, anchorsOf(readFileSync(path, 'utf8')));
    return anchors.get(path);
  },
};

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => path !== '' && existsSync(path) && !NOT_OURS.some((pattern) => pattern.test(path)));

const faults = files.flatMap((path) => {
  const text = readFileSync(path, 'utf8');
  return text.includes('\0') ? [] : findFaults(path, text, repository);
});
for (const fault of faults) console.error(fault);
console.error(`${files.length} files, ${faults.length} citations that lead nowhere.`);
process.exit(faults.length === 0 ? 0 : 1);
