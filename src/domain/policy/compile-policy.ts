import { RE2JS } from 're2js';
import { SandgateError } from '../errors.js';
import type { JsonValue } from '../json.js';
import type { PathGlob } from './glob.js';
import type { PolicyDocument, PolicyRule } from './document.js';
import { POLICY_ENGINE } from './document.js';
import { parsePolicyLenient } from './parse-policy.js';
import { compilePathGlob } from './path.js';
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
}

/**
 * Compiles stored content, read leniently (chapter 30 §2.1). A regex or glob that does not compile is skipped: validation makes
 * that unreachable. Throws `internal` when the content is no policy at all or asks for rules that this version lacks.
 */
export function compilePolicy(content: JsonValue, engine: number = POLICY_ENGINE): CompiledPolicy {
  if (engine !== POLICY_ENGINE) {
    throw new SandgateError('internal', `policy engine ${engine} is not known to this version`);
  }
  return compileDocument(parsePolicyLenient(content));
}

export function compileDocument(document: PolicyDocument): CompiledPolicy {
  return {
    document,
    rules: document.tools.map(compileRule),
    index: indexRules(document.tools.map((rule) => rule.match)),
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
