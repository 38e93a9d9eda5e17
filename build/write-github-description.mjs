/**
 * Writes test/support/codehost/github-description.json: what GitHub's own description of its REST API (`@octokit/openapi` on npm, MIT)
 * says of the operations that we use, and of what those refer to. The whole package is 430 MB, too much for every checkout.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSION = '23.0.2';
const TARGET = new URL('../test/support/codehost/github-description.json', import.meta.url);
const OPERATIONS = [
  'GET /user',
  'GET /user/repos',
  'GET /app',
  'GET /app/installations',
  'GET /app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens',
  'POST /app-manifests/{code}/conversions',
  'GET /installation/repositories',
  'GET /repos/{owner}/{repo}/branches',
  'POST /repos/{owner}/{repo}/pulls',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
  'POST /repos/{owner}/{repo}/check-runs',
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'POST /repos/{owner}/{repo}/statuses/{sha}',
  'GET /repos/{owner}/{repo}/commits/{ref}/status',
  'GET /repos/{owner}/{repo}/commits/{ref}/statuses',
];
/** Said to people, or of other editions; no test reads them. */
const LEFT_OUT = new Set(['description', 'summary', 'externalDocs', 'x-github', 'tags', 'examples', 'title']);

function fetchDescription() {
  const folder = mkdtempSync(join(tmpdir(), 'github-description-'));
  try {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', `@octokit/openapi@${VERSION}`], options);
    const file = 'package/generated/api.github.com.json';
    execFileSync('tar', ['-xzf', `octokit-openapi-${VERSION}.tgz`, file], options);
    return JSON.parse(readFileSync(join(folder, file), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without what is left out; the names of `properties` are members of the API, whatever they are called. */
function withoutProse(value, isMap = false) {
  if (Array.isArray(value)) return value.map((one) => withoutProse(one));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isMap || !LEFT_OUT.has(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutProse(one, !isMap && name === 'properties')]));
}

function referencesIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  const own = typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

const whole = fetchDescription();
const paths = {};
for (const operation of OPERATIONS) {
  const [method, path] = operation.split(' ');
  const described = whole.paths[path]?.[method.toLowerCase()];
  if (described === undefined) throw new Error(`${operation} is not described`);
  paths[path] = { ...paths[path], [method.toLowerCase()]: withoutProse(described) };
}
const components = {};
for (let open = referencesIn(paths); open.length > 0;) {
  const [, , kind, name] = open.pop().split('/');
  if (components[kind]?.[name] !== undefined) continue;
  const component = withoutProse(whole.components[kind][name]);
  components[kind] = { ...components[kind], [name]: component };
  open.push(...referencesIn(component));
}
const { openapi, info } = whole;
const { version, license } = info;
writeFileSync(TARGET, `${JSON.stringify({ openapi, info: { version, license }, paths, components }, null, 1)}\n`);
