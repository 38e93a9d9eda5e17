import { RE2JS } from 're2js';
import type { ExactJson, ExactObject } from '../digest/exact-json.js';
import type { DocumentReader } from './document-reader.js';
import type { PathConstraint, PolicyRule, ShellConstraint } from './document.js';
import { APPROVAL_SCOPES, AUTONOMOUS_ACTIONS, POLICY_ACTIONS } from './document.js';
import { compileGlob } from './paths/glob.js';
import { MAX_PATTERN_STEPS, patternExpansion } from './pattern-expansion.js';

const MAX_RULES = 512;
const MAX_ENTRIES = 256;
const RULE_KEYS = ['match', 'action', 'risk', 'paths', 'shell', 'on_autonomous', 'approval_ttl_secs', 'approval_scope'];

export function readRules(reader: DocumentReader, value: ExactJson | undefined): PolicyRule[] {
  return reader.array(value, 'tools', 'rules', MAX_RULES).map((rule, i) => readRule(reader, rule, `tools[${i}]`));
}

function readRule(reader: DocumentReader, value: ExactJson, at: string): PolicyRule {
  const rule = reader.object(value, at, RULE_KEYS) ?? {};
  return {
    match: readMatch(reader, rule, at),
    action: readAction(reader, rule, at),
    risk: reader.text(orAbsent(rule['risk']), `${at}.risk`),
    paths: readPaths(reader, orAbsent(rule['paths']), at),
    shell: readShell(reader, orAbsent(rule['shell']), at),
    on_autonomous: reader.choice(orAbsent(rule['on_autonomous']), `${at}.on_autonomous`, AUTONOMOUS_ACTIONS),
    approval_ttl_secs: reader.integer(orAbsent(rule['approval_ttl_secs']), `${at}.approval_ttl_secs`, 0),
    approval_scope: reader.choice(orAbsent(rule['approval_scope']), `${at}.approval_scope`, APPROVAL_SCOPES),
  };
}

/** The optional members of a rule may also be null. */
function orAbsent(value: ExactJson | undefined): ExactJson | undefined {
  return value ?? undefined;
}

function readMatch(reader: DocumentReader, rule: ExactObject, at: string): string[] {
  if (rule['match'] === undefined) {
    reader.fail(`\`${at}.match\` is required`);
    return [];
  }
  const match = reader.texts(rule['match'], `${at}.match`, 'matchers', MAX_ENTRIES);
  if (reader.strict && Array.isArray(rule['match']) && rule['match'].length === 0) {
    reader.fail(`\`${at}.match\` is empty: the rule would never be used`);
  }
  return match;
}

function readAction(reader: DocumentReader, rule: ExactObject, at: string): PolicyRule['action'] {
  if (rule['action'] === undefined) reader.fail(`\`${at}.action\` is required`);
  return reader.choice(rule['action'], `${at}.action`, POLICY_ACTIONS) ?? 'deny';
}

function readPaths(reader: DocumentReader, value: ExactJson | undefined, at: string): PathConstraint | null {
  const paths = reader.object(value, `${at}.paths`, ['allow', 'deny']);
  if (paths === null) return null;
  const allow = reader.texts(paths['allow'], `${at}.paths.allow`, 'patterns', MAX_ENTRIES);
  const deny = reader.texts(paths['deny'], `${at}.paths.deny`, 'patterns', MAX_ENTRIES);
  for (const glob of [...allow, ...deny]) checkGlob(reader, glob, at);
  return { allow, deny };
}

function readShell(reader: DocumentReader, value: ExactJson | undefined, at: string): ShellConstraint | null {
  const shell = reader.object(value, `${at}.shell`, ['allow_prefixes', 'deny_regex', 'on_no_match']);
  if (shell === null) return null;
  const denyRegex = reader.texts(shell['deny_regex'], `${at}.shell.deny_regex`, 'patterns', MAX_ENTRIES);
  for (const pattern of denyRegex) checkRegex(reader, pattern, at);
  return {
    allow_prefixes: reader.texts(shell['allow_prefixes'], `${at}.shell.allow_prefixes`, 'patterns', MAX_ENTRIES),
    deny_regex: denyRegex,
    on_no_match: reader.choice(shell['on_no_match'], `${at}.shell.on_no_match`, POLICY_ACTIONS) ?? 'approve',
  };
}

/** Whether the patterns read so far, this one included, cost more to compile than one policy may. */
function isTooMuch(reader: DocumentReader, pattern: string, expansion: number, at: string): boolean {
  if (!reader.strict || reader.addExpansion(pattern.length + expansion) <= MAX_PATTERN_STEPS) return false;
  reader.fail(
    `\`${at}\`: with \`${pattern}\` the patterns of this policy come to more than the limit of ${MAX_PATTERN_STEPS} steps`,
  );
  return true;
}

function checkGlob(reader: DocumentReader, glob: string, at: string): void {
  if (isTooMuch(reader, glob, 0, `${at}.paths`)) return;
  checkPattern(
    reader,
    () => compileGlob(glob),
    (why) => `\`${at}.paths\`: the glob \`${glob}\` is not valid: ${why}`,
  );
}

function checkRegex(reader: DocumentReader, pattern: string, at: string): void {
  if (isTooMuch(reader, pattern, patternExpansion(pattern), `${at}.shell.deny_regex`)) return;
  checkPattern(
    reader,
    () => RE2JS.compile(pattern),
    (why) => `\`${at}.shell.deny_regex\`: the pattern \`${pattern}\` is not valid: ${why}`,
  );
}

function checkPattern(reader: DocumentReader, compile: () => unknown, message: (why: string) => string): void {
  if (!reader.strict) return;
  try {
    compile();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    reader.fail(message(error.message));
  }
}
