import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { templateKeys } from '../../domain/triggers/template.js';
import { ciSnippet, curlLine } from './trigger-recipe.js';

const TRIGGER = {
  name: 'review: it\'s "quick"',
  task_template: "Look at {{ commit }} and {{it's $HOME}} of {{commit}}",
  invoke_url: 'https://sandgate.example/v1/triggers/0190/invoke',
};
const BODY = { context: { commit: '…', "it's $HOME": '…' } };

/** What the command gives to curl: its arguments, and what it reads. */
function invocation(command: string): { args: string[]; input: string } {
  const curl = `curl() { IFS= read -r input; printf '%s\\0' "$input" "$@"; }\n${command}`;
  const environment = { SANDGATE_TRIGGER_TOKEN: 'svc_trig_1', GITHUB_RUN_ID: '7', GITHUB_JOB: 'build', PATH: '/bin' };
  const said = execFileSync('/bin/sh', ['-ec', curl], { env: environment }).toString();
  const [input = '', ...args] = said.split('\0').slice(0, -1);
  return { args, input };
}

const argumentAfter = (args: string[], option: string): string | undefined => args[args.indexOf(option) + 1];

describe('what is printed of a new trigger', () => {
  it('CP-231 is a line for the shell whose token no command line shows', () => {
    const { args, input } = invocation(curlLine(TRIGGER));
    expect(input).toBe('authorization: Bearer svc_trig_1');
    expect(args.join(' ')).not.toContain('svc_trig_1');
    expect(args.at(-1)).toBe(TRIGGER.invoke_url);
    expect(JSON.parse(argumentAfter(args, '-d') ?? '')).toEqual(BODY);
  });

  it('CP-231 is a step of a CI whose repetition starts no second run', () => {
    const [step] = parse(ciSnippet(TRIGGER)) as { name: string; env: object; run: string }[];
    expect(step).toMatchObject({
      name: `Start ${TRIGGER.name}`,
      env: { SANDGATE_TRIGGER_TOKEN: '${{ secrets.SANDGATE_TRIGGER_TOKEN }}' },
    });
    const { args, input } = invocation(step?.run ?? '');
    expect(input).toBe('authorization: Bearer svc_trig_1');
    expect(args).toContain('idempotency-key: 7-build');
    expect(JSON.parse(argumentAfter(args, '-d') ?? '')).toEqual(BODY);
  });

  it('CP-234 brings what the template leaves open, and a task where there is no template', () => {
    const bodyOf = (task_template: string | null): unknown =>
      JSON.parse(argumentAfter(invocation(curlLine({ ...TRIGGER, task_template })).args, '-d') ?? '');
    expect(bodyOf('Do it')).toEqual({});
    expect(bodyOf(null)).toEqual({ task: '…' });
    expect(templateKeys('}} {{a}} {{ b {{c}} {{d')).toEqual(['a', 'c']);
  });
});
