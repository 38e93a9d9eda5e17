import { templateKeys } from '../../domain/triggers/template.js';

/** Where the token of a trigger is expected by what is printed; a command line is not the place for it. */
const TOKEN_VARIABLE = 'SANDGATE_TRIGGER_TOKEN';

/** What an invocation needs to know of its trigger. */
export interface Invocable {
  name: string;
  task_template: string | null;
  invoke_url: string;
}

/**
 * A line for the shell that invokes the trigger. The token comes from a variable and goes to curl on its standard input, because every
 * user of a machine can read command lines.
 */
export function curlLine(trigger: Invocable): string {
  const [header, curl] = pipeline(trigger, []);
  return `${header} | ${curl.join(' ')}`;
}

/** A step for GitHub Actions, and for Gitea and Forgejo, which read the same. A step that is run again starts no second run. */
export function ciSnippet(trigger: Invocable): string {
  const [header, curl] = pipeline(trigger, ['-H "idempotency-key: $GITHUB_RUN_ID-$GITHUB_JOB"']);
  return [
    `- name: ${JSON.stringify(`Start ${trigger.name}`)}`,
    '  env:',
    `    ${TOKEN_VARIABLE}: \${{ secrets.${TOKEN_VARIABLE} }}`,
    '  run: |',
    `    ${header} |`,
    ...curl.map((part, at) => `    ${at === 0 ? '' : '  '}${part}${at === curl.length - 1 ? '' : ' \\'}`),
  ].join('\n');
}

function pipeline({ task_template: template, invoke_url: url }: Invocable, headers: string[]): [string, string[]] {
  const header = `printf 'authorization: Bearer %s\\n' "$${TOKEN_VARIABLE}"`;
  return [
    header,
    [
      'curl -sS --fail-with-body -X POST -H @-',
      ...headers,
      "-H 'content-type: application/json'",
      `-d ${quoted(JSON.stringify(sampleBody(template)))}`,
      quoted(url),
    ],
  ];
}

function sampleBody(template: string | null): object {
  if (template === null) return { task: '…' };
  const keys = templateKeys(template);
  return keys.length === 0 ? {} : { context: Object.fromEntries(keys.map((key) => [key, '…'])) };
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
