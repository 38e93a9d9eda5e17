/**
 * What a text of the repository may cite: a requirement of docs/requirements.md, a proof of docs/proofs.md, a page that exists, an
 * RFC. Everything else is a fault, because a reader who has the repository alone cannot follow it.
 */
import { dirname, join, normalize } from 'node:path/posix';

/** Citations of documents that no reader of the repository has. */
const FOREIGN = [/\bchapters? \d+/gi, /\b\d{2}(?:-[a-z]+)? §/g, /(?<!\b(?:RFC \d{3,5}|OpenID Connect Core) )§ ?\d/g];

const MARKDOWN_LINK = /\]\(([^()\s]+)\)/g;
/** A page as prose names it. */
const PAGE = /(?<![\w./@-])(?:(?:documents\/)?docs\/[\w./-]+\.\w+|(?:ARCHITECTURE|CONTRIBUTING|CHANGELOG)\.md)/g;
/** A file or folder as pages name it; braces and stars stand for several. */
const SOURCE =
  /`((?:documents\/)?(?:src|test|docs|build|bin|bootstrap|migrations|policies|deploy|harnesses)\/[^`\s]*)`/g;
const COMMENTS = {
  ts: /^[ \t]*\/\*[\s\S]*?\*\/|(?:^|[ \t])\/\/ .*$/gm,
  yaml: /(?:^|[ \t])# .*$/gm,
  sql: /(?:^|[ \t])-- .*$/gm,
  md: /[\s\S]+/g,
};
const LANGUAGES = {
  ts: 'ts', mjs: 'ts', cjs: 'ts', js: 'ts', yaml: 'yaml', yml: 'yaml', toml: 'yaml', sh: 'yaml', sql: 'sql', md: 'md',
}; // prettier-ignore

/**
 * The faults of one file, as sentences with its line.
 *
 * @param path of the file, from the root of the repository
 * @param repository what may be cited: `requirements` and `proofs` by id, `exists(path)`, `headings(path)` of a page as anchors
 */
export function findFaults(path, text, repository) {
  const faults = [];
  const fault = (index, sentence) => faults.push(`${path}:${lineOf(text, index)}: ${sentence}`);

  for (const pattern of FOREIGN) {
    for (const { 0: found, index } of text.matchAll(pattern)) fault(index, `cites "${found}", which is not in here`);
  }
  for (const { 0: id, index } of text.matchAll(/\b(?:CP|DI)-\d{3}\b/g)) {
    if (!repository.requirements.has(id)) fault(index, `docs/requirements.md has no ${id}`);
  }
  for (const { 1: number, index } of text.matchAll(/\bproof (\d+)\b/g)) {
    if (!repository.proofs.has(number)) fault(index, `docs/proofs.md has no proof ${number}`);
  }
  const language = LANGUAGES[path.slice(path.lastIndexOf('.') + 1)];
  if (language === undefined) return faults;
  for (const { 0: comment, index: start } of text.matchAll(COMMENTS[language])) {
    for (const { 0: page, index } of comment.matchAll(PAGE)) {
      if (!repository.exists(page)) fault(start + index, `names ${page}, which does not exist`);
    }
  }
  if (language !== 'md') return faults;
  findBrokenLinks(path, text, repository, fault);
  for (const { 1: named, index } of text.matchAll(SOURCE)) {
    for (const file of spelledOut(named)) {
      if (!repository.exists(file)) fault(index, `names ${file}, which does not exist`);
    }
  }
  return faults;
}

/** The paths that one with braces stands for; of one with a star or a placeholder the folder before it. */
function spelledOut(path) {
  const braces = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path);
  if (braces !== null) return braces[2].split(',').flatMap((one) => spelledOut(`${braces[1]}${one}${braces[3]}`));
  const open = path.search(/[*<…]/);
  return [open === -1 ? path : path.slice(0, path.lastIndexOf('/', open) + 1)];
}

function findBrokenLinks(path, text, { exists, headings }, fault) {
  for (const { 1: target, index } of text.matchAll(MARKDOWN_LINK)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file, anchor] = target.split('#');
    const page = file === '' ? path : normalize(join(dirname(path), file));
    if (!exists(page)) fault(index, `links to ${target}, and there is no ${page}`);
    else if (anchor !== undefined && !headings(page).has(anchor)) {
      fault(index, `links to ${target}, and ${page} has no such heading`);
    }
  }
}

/** The anchors of a Markdown page, as code hosts make them from its headings. */
export function anchorsOf(markdown) {
  const anchors = new Set();
  for (const [, heading] of markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} +(.*?)\s*$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let free = anchor;
    for (let n = 1; anchors.has(free); n += 1) free = `${anchor}-${n}`;
    anchors.add(free);
  }
  return anchors;
}

/** The numbers that the rows of docs/proofs.md begin with; one row may have several. */
export function proofNumbers(markdown) {
  const rows = markdown.matchAll(/^\| ((?:\d+)(?:, \d+)*) \|/gm);
  return new Set([...rows].flatMap(([, numbers]) => numbers.split(', ')));
}

function lineOf(text, index) {
  return text.slice(0, index).split('\n').length;
}
