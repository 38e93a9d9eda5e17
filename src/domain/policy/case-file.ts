import type { ExactJson, ExactObject } from '../digest/exact-json.js';
import { SandgateError } from '../errors.js';
import { DocumentReader } from './document-reader.js';
import { yamlToJson } from './policy-yaml.js';
import type { AutonomyMode, VerdictKind } from './verdict.js';

/** What a case expects; a member that is left out is not compared. */
export interface Expectation {
  verdict: VerdictKind;
  /** A part of the reason. */
  reason: string | null;
  /** Index in `tools`; null where no rule may match; undefined is not compared. */
  rule: number | null | undefined;
  /** The scope key of the approval; null where there must be none; undefined is not compared. */
  key: string | null | undefined;
}

export interface PolicyCase {
  name: string;
  tool: string;
  input: ExactJson;
  mode: AutonomyMode;
  expect: Expectation;
}

/** A file of cases: a policy, by file or by name, and what it should say of calls. */
export interface CaseFile {
  policy: string;
  cases: PolicyCase[];
}

const VERDICTS = {
  allow: 'allow',
  ask: 'require_approval',
  require_approval: 'require_approval',
  deny: 'deny',
} as const;
const VERDICT_WORDS = Object.keys(VERDICTS) as (keyof typeof VERDICTS)[];
const MODES = ['supervised', 'autonomous'] as const;
const MAX_CASES = 10_000;
const CASE_KEYS = ['name', 'tool', 'input', 'command', 'path', 'mode', 'expect'];

/**
 * Reads a file of cases: `{policy, cases: [{name?, tool, input | command | path, mode?, expect}]}` where `expect` is a verdict
 * (`allow`, `ask`, `deny`) or `{verdict, reason?, rule?, key?}`. Throws `invalid_request` naming every fault.
 */
export function parseCaseFile(text: string): CaseFile {
  const reader = new DocumentReader(true);
  const root = reader.object(yamlToJson(text), '', ['policy', 'cases']);
  const policy = reader.text(root?.['policy'], 'policy');
  if (policy === null || policy.trim() === '') reader.fail('`policy` is required: a file or a name');
  const cases = reader.array(root?.['cases'], 'cases', 'cases', MAX_CASES).map((item, i) => readCase(reader, item, i));
  if (cases.length === 0) reader.fail('`cases` must hold at least one case');
  if (reader.errors.length > 0) throw new SandgateError('invalid_request', reader.errors.join('; '));
  return { policy: policy ?? '', cases };
}

function readCase(reader: DocumentReader, item: ExactJson, index: number): PolicyCase {
  const at = `cases[${index}]`;
  const members = reader.object(item, at, CASE_KEYS) ?? {};
  const tool = reader.text(members['tool'], `${at}.tool`);
  if (tool === null) reader.fail(`\`${at}.tool\` is required`);
  return {
    name: reader.text(members['name'], `${at}.name`) ?? `case ${index + 1}`,
    tool: tool ?? '',
    input: readInput(reader, members, at),
    mode: reader.choice(members['mode'], `${at}.mode`, MODES) ?? 'supervised',
    expect: readExpectation(reader, members['expect'], `${at}.expect`),
  };
}

/** `command` and `path` stand for the inputs that most calls have. */
function readInput(reader: DocumentReader, members: ExactObject, at: string): ExactJson {
  const { input, command, path } = members;
  if ([input, command, path].filter((value) => value !== undefined).length > 1) {
    reader.fail(`\`${at}\` may have one of input, command, path`);
  }
  for (const [name, value] of Object.entries({ command, path })) {
    if (value !== undefined && typeof value !== 'string') reader.fail(`\`${at}.${name}\` must be a string`);
  }
  if (command !== undefined) return { command };
  return path === undefined ? (input ?? {}) : { file_path: path };
}

function readExpectation(reader: DocumentReader, value: ExactJson | undefined, at: string): Expectation {
  if (value === undefined) reader.fail(`\`${at}\` is required`);
  const short = typeof value === 'string';
  const members = short ? { verdict: value } : (reader.object(value, at, ['verdict', 'reason', 'rule', 'key']) ?? {});
  const word = reader.choice(members['verdict'], short ? at : `${at}.verdict`, VERDICT_WORDS);
  if (value !== undefined && members['verdict'] === undefined) reader.fail(`\`${at}.verdict\` is required`);
  const { rule, key } = members;
  return {
    verdict: VERDICTS[word ?? 'deny'],
    reason: reader.text(members['reason'], `${at}.reason`),
    rule: rule === null ? null : (reader.integer(rule, `${at}.rule`, 0) ?? undefined),
    key: key === null ? null : (reader.text(key, `${at}.key`) ?? undefined),
  };
}
