import type { SubcommandGrammar } from './subcommand-grammar.js';

const NODE_PACKAGES: SubcommandGrammar = {
  flags:
    '-s --silent -q --quiet -d --verbose --if-present --no-audit --no-fund --workspaces --ws --include-workspace-root -w -r --recursive --stream --no-color --prefer-offline',
  valued: '--prefix --workspace --loglevel --cache --filter -F -C --dir --cwd --reporter',
  twoWords:
    'run run-script rum urn config c dist-tag access owner team token profile org hook cache pkg audit init create innit store env plugin',
  runs: 'exec x dlx',
  allWords: 'workspace',
  once: 'set-script version unpublish',
  onceOptions: { '*': '-g -f --location --registry --userconfig --unsafe-perm --shell' },
};

const PYTHON_PACKAGES: SubcommandGrammar = {
  flags: '-q --quiet -v --verbose -n --no-interaction --no-color --no-cache --offline --isolated',
  valued: '-C --directory --project -P --log --timeout --retries',
  twoWords: 'config cache index tool python env self source publisher',
  runs: 'run tool.run',
  onceOptions: {
    '*': '-i --index-url --extra-index-url --index --default-index --find-links --trusted-host --break-system-packages -t --target --root --prefix --with',
  },
};

const MAKE: SubcommandGrammar = {
  flags: '-k -s -B -i -w --keep-going --silent --quiet --always-make --no-print-directory --print-directory',
  valued: '-C --directory -I --include-dir -o -W',
  joined: /^(?:-j\d+|--jobs(?:=\d+)?|-O\w*|--output-sync(?:=\w+)?|-l[\d.]+)$/,
  allWords: '*',
  onceOptions: { '*': '-n -q -t -p --just-print --question --touch' },
};

const GRADLE: SubcommandGrammar = {
  flags:
    '-q -i -s -S --quiet --info --stacktrace --full-stacktrace --no-daemon --daemon --parallel --offline --continue --build-cache --no-build-cache --scan --rerun-tasks',
  valued: '-x --exclude-task --tests -p --project-dir --max-workers --console --warning-mode',
  joined: /^-[DP][\w.]+(?:=.*)?$/,
  allWords: '*',
  onceOptions: { '*': '-m -I --init-script -b -c --include-build' },
};

const MAVEN: SubcommandGrammar = {
  flags: '-q -B -e -X -o -U -nsu -ntp -am -amd -fae -ff -fn --quiet --batch-mode --offline --no-transfer-progress',
  valued: '-pl --projects -f --file -T --threads -rf --resume-from -l',
  joined: /^-[DPT][\w.,!?]+(?:=.*)?$/,
  allWords: '*',
  singleDash: true,
  onceOptions: { '*': '-s --settings -gs --global-settings -t' },
};

/** Programs that build, test and publish. */
export const DEVELOPMENT_PROGRAMS: Readonly<Record<string, SubcommandGrammar>> = {
  git: {
    flags:
      '-p -P --paginate --no-pager --no-replace-objects --no-optional-locks --literal-pathspecs --no-advice -v -q --quiet -u --include-untracked -k --keep-index',
    valued: '-C --namespace -m --message',
    twoWords:
      'stash remote worktree notes lfs reflog sparse-checkout bundle submodule bisect config maintenance flow annex subtree rerere commit-graph',
    once: 'clean checkout restore rm mv filter-branch filter-repo checkout-index read-tree update-ref prune replace gc symbolic-ref worktree.remove stash.drop stash.clear reflog.expire reflog.delete submodule.foreach submodule.deinit lfs.prune bisect.run',
    onceOptions: {
      push: '-f -d -n --all --receive-pack',
      branch: '-d -D -m -M -c -C -f',
      tag: '-d -f',
      reset: '--hard --merge --keep -N',
      switch: '-f -C --discard-changes --orphan',
      commit: '-n --amend --fixup',
      rebase: '-x --exec --abort --root -i --interactive',
      merge: '--abort',
      'cherry-pick': '--abort',
      revert: '--abort',
      am: '--abort',
      fetch: '-f -p -P',
      pull: '-f -p',
      clone: '-c --config -u --template',
      'worktree add': '-f -B',
    },
    onceOperands: { push: /^[+:]/, fetch: /^\+/, pull: /^\+/ },
  },
  npm: NODE_PACKAGES,
  pnpm: NODE_PACKAGES,
  yarn: NODE_PACKAGES,
  bun: NODE_PACKAGES,
  npx: { flags: '-y --yes --no --no-install -q --quiet', runs: '*' },
  pnpx: { runs: '*' },
  bunx: { flags: '--bun', runs: '*' },
  corepack: { allWords: '*' },
  turbo: { allWords: 'run', valued: '--filter -F --cwd' },
  nx: { allWords: 'run run-many affected generate g', valued: '-t --target --targets -p --projects' },
  deno: { twoWords: 'task', once: 'run eval repl serve x', onceOptions: { '*': '-A -f -g' } },
  cargo: {
    flags: '-q --quiet -v -vv --verbose --offline --locked --frozen --release -r --all-features',
    valued: '-C --color --manifest-path --bin --example -p --package -F --features --target --profile',
    twoWords: 'config report nextest llvm-cov',
    allWords: 'run r',
    onceOptions: { '*': '--git --registry --index -Z' },
  },
  rustup: { twoWords: 'toolchain target component override self set default', once: 'run' },
  go: {
    flags: '-v -x -race',
    twoWords: 'mod work tool env',
    allWords: 'run',
    singleDash: true,
    onceOptions: { clean: '-cache -modcache -testcache -fuzzcache -r -i', env: '-w -u', '*': '-exec -toolexec' },
  },
  pip: PYTHON_PACKAGES,
  pip3: PYTHON_PACKAGES,
  uv: { ...PYTHON_PACKAGES, twoWords: 'pip tool python cache self auth', runs: 'run tool.run x' },
  uvx: { flags: '-q --quiet', runs: '*' },
  pipx: PYTHON_PACKAGES,
  poetry: PYTHON_PACKAGES,
  pdm: PYTHON_PACKAGES,
  tox: { flags: '-q -v', valued: '-e -c', allWords: '*' },
  conda: { twoWords: 'env config', once: 'run clean', onceOptions: { '*': '-c --channel' } },
  make: MAKE,
  gmake: MAKE,
  just: { valued: '-d --working-directory', allWords: '*', onceOptions: { '*': '-f -n --justfile --set' } },
  rake: { flags: '-q -s', allWords: '*', onceOptions: { '*': '-n -f -r -e -p -E' } },
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: MAVEN,
  mvnw: MAVEN,
  mix: { allWords: 'do', once: 'run eval', onceOptions: { '*': '-e' } },
  bazel: { twoWords: 'run', onceOptions: { clean: '--expunge --expunge_async' } },
  ninja: { flags: '-v', valued: '-C -j', allWords: '*', onceOptions: { '*': '-n -t -f' } },
  dotnet: {
    twoWords: 'tool ef nuget workload sln user-secrets dev-certs new build-server',
    allWords: 'ef run',
    once: 'exec script',
  },
  rails: { allWords: '*', once: 'runner r console c dbconsole db' },
  bundle: { twoWords: 'config plugin cache', runs: 'exec', once: 'console' },
  gem: { twoWords: 'owner sources', once: 'exec', onceOptions: { '*': '-s --source -i' } },
  composer: {
    flags: '-q -v -n --quiet --no-interaction --no-plugins',
    valued: '-d --working-dir',
    twoWords: 'run run-script global config',
    once: 'exec',
    onceOptions: { '*': '-g' },
  },
  flutter: { twoWords: 'pub config build channel', once: 'clean' },
  dart: { twoWords: 'pub compile', once: 'run' },
  prisma: { twoWords: 'migrate db' },
  alembic: { valued: '-c --config -n --name' },
  'django-admin': { once: 'shell dbshell flush' },
  flask: { valued: '-A --app', twoWords: 'db', once: 'shell' },
  vercel: { twoWords: 'env domains dns alias secrets', onceOptions: { '*': '-y --prod' } },
  wrangler: { twoWords: 'd1 kv r2 secret pages queues deployments', once: 'd1.execute' },
};
