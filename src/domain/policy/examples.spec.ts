import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseCaseFile } from './case-file.js';
import { compileDocument } from './compile-policy.js';
import { parsePolicyYaml } from './policy-yaml.js';
import { runCases } from './run-cases.js';

const FOLDER = new URL('../../../policies/examples/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');
const SITUATIONS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.cases.yaml'))
  .map((file) => file.slice(0, -'.cases.yaml'.length));
const MANUAL = readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8');

describe('the situations of docs/policies.md', () => {
  it('are ten or more, each a policy with its cases, each in the manual', () => {
    expect(SITUATIONS.length).toBeGreaterThanOrEqual(10);
    const policies = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml') && !file.endsWith('.cases.yaml'));
    expect(policies.sort()).toEqual(SITUATIONS.map((situation) => `${situation}.yaml`).sort());
    expect(SITUATIONS.filter((situation) => !MANUAL.includes(`policies/examples/${situation}.yaml`))).toEqual([]);
  });

  it.each(SITUATIONS)('CP-338 %s does what its cases say', (situation) => {
    const { policy, cases } = parseCaseFile(read(`${situation}.cases.yaml`));
    expect(policy).toBe(`${situation}.yaml`);
    const document = parsePolicyYaml(read(policy));
    expect(document.name).toBe(situation);
    const results = runCases(compileDocument(document), cases);
    expect(results.filter(({ mismatches }) => mismatches.length > 0)).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(8);
  });
});
