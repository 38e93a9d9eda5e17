import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { providePython } from '../../../../test/support/mcp/python-environment.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../src/domain/json.js';
import { countLeaves, meanOf, shareOf } from '../../../src/domain/benchmark/figures.js';
import { judgeDocument, lifted } from '../../../src/domain/benchmark/judge-document.js';
import type { Rule, RuleNode } from '../../../src/domain/benchmark/rule.js';
import type { BenchedDocument } from '../../../src/embedded/benchmark/bench-document.js';
import type { GoldClass } from '../../../src/embedded/benchmark/gold-classes.js';
import { spelledAlike } from './spelled-alike.js';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const JUDGES_WITHIN_MS = 300_000;

/** Mean F1 of a class by both judges. */
export interface BothJudges {
  /** By the rule that the gold publishes for each leaf, as texts that are similar. */
  ours: number;
  /** By omni-extract-bench where it takes the same values for the same: how items are paired and leaves are counted is compared, like with like. */
  second: number;
  /** By omni-extract-bench as it is: texts are the same when nothing but case, accents, white space, punctuation and spelling of dates differs. */
  secondByItsOwn: number;
  /** Ours by letters and digits alone, which is nearest to that. */
  oursByLetters: number;
}

/** Scores the same results by other people's program. @throws Error where it cannot be installed or run */
export async function askSecondJudge(one: GoldClass, benched: readonly BenchedDocument[]): Promise<BothJudges> {
  const python = await providePython(here('omni-extract-bench.requirements.txt'));
  const asked = benched.map(({ document, result }) => ({
    got: comparable(result.data, one.rules, document.unscored, ''),
    gold: comparable(document.gold, one.rules, document.unscored, ''),
    schema: one.schema,
  }));
  const alike = asked.map(({ got, gold, schema }) => ({ ...spelledAlike(got, gold, one.rules), schema }));
  const letters = byLetters(one.rules);
  const f1Of = (rules: RuleNode): number =>
    meanOf(
      benched.map(({ document, result }) => {
        const { leaves } = judgeDocument(result.data, document.gold, rules, document.unscored);
        return shareOf(countLeaves(leaves)).f1;
      }),
    );
  return {
    ours: f1Of(one.rules),
    second: meanOf(askPython(python, alike)),
    secondByItsOwn: meanOf(askPython(python, asked)),
    oursByLetters: f1Of(letters),
  };
}

function askPython(python: string, asked: readonly object[]): number[] {
  const { status, stdout, stderr } = spawnSync(python, [here('programs/judge.py')], {
    input: JSON.stringify(asked),
    encoding: 'utf8',
    timeout: JUDGES_WITHIN_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`the second judge ended with ${String(status)}: ${stderr}`);
  return JSON.parse(stdout) as number[];
}

/** What is scored of a value, in the shape of the schema: groups of a list are one list, and what nobody asks for is left out. */
function comparable(
  value: JsonValue | undefined,
  node: RuleNode,
  unscored: readonly string[],
  path: string,
): JsonValue {
  if (value === undefined || value === null || unscored.includes(path)) return null;
  if (node.kind === 'leaf') return Array.isArray(value) ? (value[0] ?? null) : value;
  if (node.kind === 'list') {
    return itemsOf(value).map((one, at) => comparable(one, node.item, unscored, `${path}/${at}`));
  }
  if (!isJsonObject(value)) return value;
  const members: JsonObject = lifted(value, node.properties);
  return Object.fromEntries(
    [...node.properties].map(([name, inner]) => [name, comparable(members[name], inner, unscored, `${path}/${name}`)]),
  );
}

function itemsOf(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value).flatMap(itemsOf) : [value];
}

function byLetters(node: RuleNode): RuleNode {
  if (node.kind === 'list') return { kind: 'list', item: byLetters(node.item) };
  if (node.kind === 'object') {
    return { kind: 'object', properties: new Map([...node.properties].map(([name, one]) => [name, byLetters(one)])) };
  }
  const isText = ({ by }: Rule): boolean => by === 'exact' || by === 'caseless' || by === 'similar';
  return { kind: 'leaf', rules: node.rules.map((rule) => (isText(rule) ? { by: 'letters' } : rule)) };
}
