import { fetchCrate, fetchModule, fetchSource, fetchTarball } from './fetch-package.js';
import type { Project } from './project.js';

const JAVASCRIPT: Project = {
  language: 'javascript',
  name: 'wordwrap',
  version: '1.0.0',
  preset: 'npm',
  fetch: fetchTarball,
  files: { '.gitignore': 'node_modules\n' },
  setup: ['npm ci'],
  test: 'node_modules/.bin/tape test/*.js',
  says: { broken: /^not ok \d+ line > 80 columns$/m, well: /^# fail {2}0$|^# ok$/m },
  fault: { file: 'index.js', right: 'chunk.length > stop)', wrong: 'chunk.length > stop + 9)' },
};

const PYTHON: Project = {
  language: 'python',
  name: 'toolz',
  version: '0.12.1',
  preset: 'pypi',
  fetch: fetchSource,
  files: { '.gitignore': '.venv\n', 'requirements-test.txt': 'pytest==8.3.4\n' },
  setup: ['python3 -m venv .venv', '.venv/bin/pip install -r requirements-test.txt'],
  test: '.venv/bin/python -m pytest -q toolz',
  says: { broken: /^FAILED toolz\/tests\/test_itertoolz\.py::test_take /m, well: /^\d+ passed/m },
  fault: { file: 'toolz/itertoolz.py', right: 'itertools.islice(seq, n)\n', wrong: 'itertools.islice(seq, n + 1)\n' },
};

const RUST: Project = {
  language: 'rust',
  name: 'num-integer',
  version: '0.1.46',
  preset: 'crates',
  fetch: fetchCrate,
  files: { '.gitignore': 'target\n' },
  setup: ['cargo fetch --locked', 'cargo test --offline --no-run --test average --test roots'],
  test: 'cargo test --offline --test average --test roots',
  says: { broken: /^test result: FAILED/m, well: /^test result: ok[^]*^test result: ok/m },
  fault: { file: 'src/average.rs', right: '+ ((self ^ other) >> 1)', wrong: '+ ((self ^ other) >> 2)' },
};

const GO: Project = {
  language: 'go',
  name: 'github.com/spf13/cast',
  version: 'v1.5.1',
  preset: 'go',
  fetch: fetchModule,
  files: {},
  setup: ['go mod download', "go test -run '^$' ./..."],
  test: 'go test ./...',
  says: { broken: /^--- FAIL: /m, well: /^ok\s/m },
  fault: { file: 'caste.go', right: 'return s[:i-1]', wrong: 'return s[:i]' },
};

export const PROJECTS: readonly Project[] = [JAVASCRIPT, PYTHON, RUST, GO];

/** Those that `TEST_PROJECTS` names: languages with commas between them, or `all`; none without it. */
export function chosenProjects(wanted = process.env['TEST_PROJECTS'] ?? ''): Project[] {
  const languages = wanted.split(',').filter(Boolean);
  const known = PROJECTS.map(({ language }) => language);
  const unknown = languages.filter((language) => language !== 'all' && !known.includes(language));
  if (unknown.length > 0) throw new Error(`TEST_PROJECTS knows all, ${known.join(', ')}, not ${unknown.join(', ')}`);
  return PROJECTS.filter(({ language }) => languages.includes('all') || languages.includes(language));
}
