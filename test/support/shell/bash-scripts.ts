import fc from 'fast-check';

/** Pieces of bash that are glued together at random: mostly broken lines, and the odd one that means something unforeseen. */
// prettier-ignore
const PIECES = [
  'ls', 'id', 'cat', 'a', 'f', '$x', '"$x"', "'q r'", '$(id)', '`id`', '<(id)', '>(cat)', '$((1+2))', '${x:-$(id)}', '"$(rm y)"', '{a,b}', '*', '\\',
  'a=b', "$'\\x69d'", '$"id"', '<<EOF', 'EOF', "<<'EOF'", '<<-EOF', '<<<', '>', '>>', '<', '2>&1', '&>', '>|', '<>', '{fd}>', '|', '|&', '&&', '||', ';', '&', '\n', '!', 'time',
  'if', 'then', 'else', 'fi', 'for', 'in', 'do', 'done', 'until ls', 'case', 'esac', ')', '(', '{', '}', '[[', ']]', '((', '))', ';;', ';&', 'function', 'coproc', 'select',
  'env', 'nice', 'timeout 1', 'xargs', 'xargs -I{}', 'find .', '-exec', '{}', '\\;', '+', 'bash -c', 'sh -c', 'dash -c', "'id; ls'", "'[[ a && id ]]'", "'((a||id))'", 'command', 'eval', 'exec', 'test', '-v', 'printf', '-eq',
  'x=1', 'CI=1', '#', 'echo', 'read', 'declare', '${x}', '${x/a/b}', '${ id; }', '$[1]', '$@', '\u00a0', '\v', '\f', '\t', 'cd', ':', 'set', '-k', '--', '$1', '\\\n', 'i\\\nd', 'i""d',
  'sed', 'awk', 'sort', 'tar', '-e', '-n', '-i', "'e id'", "'1e id'", "'s/a/id/e'", "'p;e id'", "'s/[/]/x/;e id'", `'{print|"id"}'`, `'BEGIN{system("id")}'`, '--compress-program=id', '-S1b', 'cf', '/dev/null',
  '--checkpoint=1', '--checkpoint-action=exec=id', 'nohup', '-c', '${!x}', '${x@P}', '\\$(id)', "\\'", '\\"', '"', "'", '$', '~', '!(id)',
];

export const gluedLine: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(' ', ' ', ' ', '')), { minLength: 1, maxLength: 10 })
  .map((pieces) => pieces.flat().join(''));

/** Scripts that mostly parse, nested as deep as size allows: every construct with commands, words and bodies of every kind in it. */
export const wellFormedScript: fc.Arbitrary<string> = fc.letrec<
  Record<'script' | 'command' | 'simple' | 'word' | 'redirect', string>
>((tie) => ({
  script: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('command'),
    fc
      .tuple(tie('script'), fc.constantFrom('; ', ' && ', ' || ', ' | ', ' |& ', '\n', ' & '), tie('script'))
      .map((parts) => parts.join('')),
  ),
  command: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('simple'),
    tie('script').map((body) => `( ${body} )`),
    tie('script').map((body) => `{ ${body}\n}`),
    tie('script').map((body) => `! ${body}`),
    tie('script').map((body) => `time ${body}`),
    fc.tuple(tie('script'), tie('script')).map(([test, body]) => `if ${test}\nthen ${body}\nfi`),
    fc
      .tuple(tie('script'), tie('script'))
      .map(([test, body]) => `if ls\nthen ${test}\nelif false\nthen a\nelse ${body}\nfi`),
    fc.tuple(tie('word'), tie('script')).map(([word, body]) => `for x in ${word} b; do ${body}\ndone`),
    fc.tuple(tie('script'), tie('script')).map(([test, body]) => `while ${test}\ndo ${body}\nbreak; done`),
    fc
      .tuple(tie('word'), tie('word'), tie('script'))
      .map(([word, pattern, body]) => `case ${word} in ${pattern}) ${body}\n;; *) ls;; esac`),
    tie('script').map((body) => `cat <<EOF\n$(${body})\nEOF\n`),
    tie('script').map((body) => `cat <<'EOF'\n$(${body})\nEOF\n`),
    tie('word').map((word) => `[[ ${word} == b ]]`),
    tie('word').map((word) => `[ ${word} = b ]`),
  ),
  simple: fc
    .tuple(
      fc.constantFrom('', '', '', 'CI=1 ', 'y=1 '),
      fc.constantFrom(
        'ls',
        'id',
        'cat',
        'grep',
        'make',
        'a',
        'x',
        'i""d',
        'l\\s',
        "'id'",
        'echo',
        'printf %s',
        ':',
        'cd',
        'env',
        'nice',
        'timeout 1',
        'nohup',
        'xargs',
        'command',
        'bash -c',
        'sh -c',
        'find . -name',
        'find . -exec',
        'sed -n',
        'awk',
        'sort',
        'env CI=1 ls',
        'xargs -n1 id',
        'builtin echo',
        'test -n',
        'set --',
      ),
      fc.array(tie('word'), { maxLength: 3 }),
      tie('redirect'),
    )
    .map(([assignment, program, words, redirect]) => `${assignment}${[program, ...words].join(' ')}${redirect}`),
  word: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      'f',
      '.',
      'id',
      '"b c"',
      "'id; ls'",
      '$x',
      '"$x"',
      '*',
      '{a,id}',
      '~',
      '$((1 + 2))',
      '${x:-a}',
      '${#x}',
      '\\;',
      '{}',
      '--',
      "$'i\\x64'",
      '-n',
      '+',
      "'e id'",
      "'$0'",
      '-exec',
      'a\\ b',
      '#',
      "'{print}'",
      "''",
    ),
    tie('script').map((body) => `$(${body})`),
    tie('script').map((body) => `"$(${body})"`),
    tie('script').map((body) => `<(${body})`),
    tie('script').map((body) => `\${x:-$(${body})}`),
    tie('script').map((body) => `"a\${x:+$(${body})}b"`),
    tie('script')
      .filter((body) => !/[`\\]/.test(body))
      .map((body) => `\`${body}\``),
    tie('script')
      .filter((body) => !body.includes("'"))
      .map((body) => `'${body}'`),
  ),
  redirect: fc.constantFrom('', '', '', '', ' >out', ' 2>&1', ' </dev/null', ' >>out', ' <<< a', ' &>out'),
})).script;
