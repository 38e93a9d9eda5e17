/**
 * Lists the requirement ids of milestones (docs/requirements.md) that no test name carries, and ids that a test carries and nobody
 * required.
 * Usage: npm run requirements -- --issue i1 [--issue i2 …]
 */
import { readFileSync, globSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { issue: { type: 'string', multiple: true } } });
if (values.issue === undefined) {
  console.error('Name a milestone: npm run requirements -- --issue i1');
  process.exit(2);
}

const requirements = readFileSync('docs/requirements.md', 'utf8').split('\n');
const required = new Set(requirements.map((line) => /^\| ((?:CP|DI)-\d{3}) \|/.exec(line)?.[1]));

const testName =
  /\b(?:it|itNightly|test|describe|describeNightly)(?:\.each(?:<[^()]*?>)?\([\s\S]*?\))?\(\s*(['"`])([\s\S]*?)\1/g;
const carried = new Set();
for (const file of globSync('{,documents/}{src,test}/**/*.{spec,part}.ts')) {
  for (const [, , name] of readFileSync(file, 'utf8').matchAll(testName)) {
    for (const id of name.match(/\b(?:CP|DI)-\d{3}\b/g) ?? []) carried.add(id);
  }
}

const unknown = [...carried].filter((id) => !required.has(id));
for (const id of unknown) console.log(`${id}  is carried by a test, and docs/requirements.md does not have it`);
const missing = values.issue.flatMap(missingOf);
process.exit(missing.length + unknown.length === 0 ? 0 : 1);

/** Rows of a milestone that no test name carries. */
function missingOf(issue) {
  const owed = requirements
    .filter((line) => line.endsWith(`| ${issue} |`))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, id, requirement]) => ({ id, requirement }));
  if (owed.length === 0) {
    console.error(`docs/requirements.md has no row of milestone ${issue}.`);
    process.exit(2);
  }
  const missing = owed.filter(({ id }) => !carried.has(id));
  for (const { id, requirement } of missing) console.log(`${id}  ${requirement}`);
  console.error(`${owed.length - missing.length} of ${owed.length} requirements of ${issue} are carried by a test.`);
  return missing;
}
