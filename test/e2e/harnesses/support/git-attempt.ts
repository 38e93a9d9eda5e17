const PLANT = 'touch /workspace/planted-by-git';

/** Repositories that would run something by a hook, by a monitor, and by lying bare in a folder; git itself goes on working. */
export const GIT_ATTEMPT: [what: string, command: string, shows: RegExp] = [
  'a hook, a monitor and a bare repository that git would run',
  [
    'mkdir -p /tmp/tried && cd /tmp/tried && git init -q . && git config user.name t && git config user.email t@t',
    `printf '#!/bin/sh\\n${PLANT}\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit`,
    `git config core.fsmonitor '${PLANT}; false' && git config core.hooksPath .git/hooks`,
    'echo one > a && git add a && git commit -qm first && git log --format=%s && git status --short',
    'mkdir -p sub && cp -r .git/HEAD .git/objects .git/refs sub/ && cd sub',
    `printf '[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = ${PLANT}\\n[alias]\\n\\tst = !${PLANT}\\n' > config`,
    'git st; git status > /dev/null; echo "code $?"',
  ].join('\n'),
  /first\n[^]*code 128/,
];
