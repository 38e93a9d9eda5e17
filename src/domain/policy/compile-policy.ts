import { RE2JS } from 're2js';
import { SandgateError } from '../errors.js';
import type { JsonValue } from '../json.js';
import type { PathGlob } from './paths/glob.js';
import type { PolicyDocument, PolicyRule } from './document.js';
import { blankPolicy, POLICY_ENGINE } from './document.js';
import { parsePolicyLenient } from './parse-policy.js';
import { compilePathGlob } from './paths/path.js';
import type { AllowPrefixes } from './shell/coverage.js';
import { compileAllowPrefixes } from './shell/coverage.js';
import type { RuleIndex } from './tool-matcher.js';
import { indexRules } from './tool-matcher.js';

export interface CompiledGlob {
  source: string;
  glob: PathGlob;
}

interface CompiledRegex {
  source: string;
  regex: RE2JS;
}

export interface CompiledRule {
  index: number;
  rule: PolicyRule;
  paths: { allow: CompiledGlob[]; deny: CompiledGlob[]; restricts: boolean } | null;
  shell: { prefixes: AllowPrefixes; deny: CompiledRegex[] } | null;
}

/** A policy whose patterns are compiled; make it once per version or run spec and keep it. Immutable. */
export interface CompiledPolicy {
  readonly document: PolicyDocument;
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** What makes the policy invalid: deny patterns that do not compile. With one of them it denies every call. */
  readonly defects: readonly string[];
}

/**
 * Compiles stored content, read leniently. A deny pattern that does not compile is a defect of the policy, which then denies every
 * call; a broken pattern that could only have allowed something is skipped.
 *
 * @throws SandgateError `internal` when the content is no policy at all or asks for rules that this version lacks
 */
export function compilePolicy(content: JsonValue, engine: number = POLICY_ENGINE): CompiledPolicy {
  if (engine !== POLICY_ENGINE) {
    throw new SandgateError('internal', `policy engine ${engine} is not known to this version`);
  }
  return compileDocument(parsePolicyLenient(content));
}

/** Compiles what a run froze. Content that {@link compilePolicy} cannot read denies every call of the run, and says why. */
export function compileFrozenPolicy(content: JsonValue, engine: number): CompiledPolicy {
  try {
    return compilePolicy(content, engine);
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    return { ...compileDocument(blankPolicy('')), defects: [error.message] };
  }
}

/** What makes a document invalid although it can be read: its deny patterns that do not compile, each with its place. */
export function policyDefects(document: PolicyDocument): string[] {
  return document.tools.flatMap((rule, i) => [
    ...(rule.paths?.deny ?? []).flatMap((glob) => defectOf(`tools[${i}].paths.deny`, 'glob', glob, compileGlobEntry)),
    ...(rule.shell?.deny_regex ?? []).flatMap((pattern) =>
      defectOf(`tools[${i}].shell.deny_regex`, 'pattern', pattern, compileRegexEntry),
    ),
  ]);
}

/** What makes stored content invalid: it is no policy at all, or has {@link policyDefects}. */
export function defectsOfContent(content: JsonValue): string[] {
  try {
    return policyDefects(parsePolicyLenient(content));
  } catch (error) {
    if (!(error instanceof SandgateError)) throw error;
    return [error.message];
  }
}

function defectOf(at: string, what: string, source: string, compile: (source: string) => unknown): string[] {
  try {
    compile(source);
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [`\`${at}\`: the ${what} \`${source}\` is not valid: ${error.message}`];
  }
}

export function compileDocument(document: PolicyDocument): CompiledPolicy {
  return {
    document,
    rules: document.tools.map(compileRule),
    index: indexRules(document.tools.map((rule) => rule.match)),
    defects: policyDefects(document),
  };
}

function compileRule(rule: PolicyRule, index: number): CompiledRule {
  return {
    index,
    rule,
    paths:
      rule.paths === null
        ? null
        : {
            allow: compileAll(rule.paths.allow, compileGlobEntry),
            deny: compileAll(rule.paths.deny, compileGlobEntry),
            restricts: rule.paths.allow.length > 0,
          },
    shell:
      rule.shell === null
        ? null
        : {
            prefixes: compileAllowPrefixes(rule.shell.allow_prefixes),
            deny: compileAll(rule.shell.deny_regex, compileRegexEntry),
          },
  };
}

function compileGlobEntry(source: string): CompiledGlob {
  return { source, glob: compilePathGlob(source) };
}

function compileRegexEntry(source: string): CompiledRegex {
  return { source, regex: RE2JS.compile(source) };
}

function compileAll<T>(sources: readonly string[], compile: (source: string) => T): T[] {
  return sources.flatMap((source) => {
    try {
      return [compile(source)];
    } catch (error) {
      if (error instanceof Error) return [];
      throw error;
    }
  });
}
