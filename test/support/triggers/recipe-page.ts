import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { compiledBefore } from '../installation/own-place.js';

const PAGE = readFileSync(resolve('docs/triggers.md'), 'utf8');
const EXAMPLES = resolve('docs/examples/triggers');

/** The shell blocks of one recipe of docs/triggers.md, in their order. */
export function blocksOf(recipe: string): string[] {
  const text = PAGE.split(/^### /m).find((part) => part.startsWith(`${recipe}\n`));
  if (text === undefined) throw new Error(`docs/triggers.md has no recipe "${recipe}"`);
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

export function example(file: string): string {
  return join(EXAMPLES, file);
}

interface Step {
  env?: Record<string, string>;
  run?: string;
}

/** The last step of the last job of a workflow for CI: its script, and its environment with variables and secrets filled in. */
export function ciStep(file: string, known: Record<string, string>): { script: string; env: Record<string, string> } {
  const { jobs } = parse(readFileSync(example(file), 'utf8')) as { jobs: Record<string, { steps: Step[] }> };
  const { run = '', env = {} } = Object.values(jobs).at(-1)?.steps.at(-1) ?? {};
  const filled = Object.entries(env).map(([name, value]): [string, string] => [
    name,
    String(value).replaceAll(/\$\{\{ (?:vars|secrets)\.(\w+) \}\}/g, (_all, key: string) => {
      const text = known[key];
      if (text === undefined) throw new Error(`${file} needs ${key}`);
      return text;
    }),
  ]);
  return { script: run, env: Object.fromEntries(filled) };
}

export interface ScriptOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

interface ScriptPlace {
  env?: Record<string, string>;
  cwd?: string;
}

/** Runs scripts as their readers do: by bash, which ends at the first error, with `sandgate` in the path. */
export class Shell {
  constructor(
    private readonly folder: string,
    private readonly env: Record<string, string>,
  ) {
    mkdirSync(join(folder, 'bin'), { recursive: true });
    const program = join(folder, 'bin', 'sandgate');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${resolve('dist/cli/main.js')}' "$@"\n`);
    chmodSync(program, 0o755);
  }

  run(script: string, place: ScriptPlace = {}): Promise<ScriptOutcome> {
    return this.start(script, place).outcome;
  }

  /** Begins one that waits for something; `said` is what it has written for people so far. */
  start(
    script: string,
    { env = {}, cwd = process.cwd() }: ScriptPlace = {},
  ): { said: () => string; outcome: Promise<ScriptOutcome> } {
    const PATH = `${join(this.folder, 'bin')}:${join(process.execPath, '..')}:${process.env['PATH']}`;
    let said = '';
    const outcome = new Promise<ScriptOutcome>((done) => {
      const options = { cwd, env: { ...compiledBefore(), ...this.env, PATH, ...env } };
      const child = execFile('bash', ['-ec', script], options, (error, stdout, stderr) => {
        done({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, stdout, stderr });
      });
      child.stderr?.on('data', (chunk) => (said += String(chunk)));
    });
    return { said: () => said, outcome };
  }
}
