import type { SubcommandGrammar } from './subcommand-grammar.js';

const CONTAINERS: SubcommandGrammar = {
  flags: '-D --debug --tls --tlsverify --compatibility --verbose',
  valued:
    '--config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey -f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress --url --connection',
  twoWords:
    'builder buildx checkpoint compose config container context image manifest network node plugin pod machine scout secret service stack swarm system trust volume model generate play kube',
  once: 'run exec create cp container.run container.exec container.create container.cp compose.run compose.exec compose.create compose.cp buildx.bake machine.ssh',
  onceOptions: {
    '*': '--all --volumes --rmi --remove-orphans --push --allow --secret --ssh',
    'compose down': '-v',
    'compose rm': '-v -f -s',
    rm: '-f -v -a',
    'container rm': '-f -v',
    rmi: '-f -a',
    'image rm': '-f',
    'volume rm': '-f',
    'image prune': '-a -f',
    'container prune': '-f',
    'volume prune': '-a -f',
    'network prune': '-f',
    'system prune': '-a -f',
    'builder prune': '-a -f',
  },
};

const DEBIAN_PACKAGES: SubcommandGrammar = {
  flags: '-y --yes -q -qq --quiet --no-install-recommends --assume-yes',
  onceOptions: { '*': '-s -f -o -c -t --download-only --allow-unauthenticated --allow-downgrades' },
};

const REDHAT_PACKAGES: SubcommandGrammar = {
  flags: '-y -q --assumeyes --quiet',
  twoWords: 'group module history config-manager repo',
  onceOptions: { '*': '--nogpgcheck --repofrompath --installroot' },
};

const TERRAFORM: SubcommandGrammar = {
  joined: /^-chdir=/,
  twoWords: 'state workspace providers metadata',
  once: 'destroy console state.rm state.mv state.push state.replace-provider force-unlock',
  singleDash: true,
  onceOptions: { '*': '-auto-approve -destroy -replace -lock=false -target -out -migrate-state -reconfigure' },
};

/** Programs that run services, clusters, clouds and the machine. */
export const OPERATIONS_PROGRAMS: Readonly<Record<string, SubcommandGrammar>> = {
  docker: CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  'docker-compose': {
    valued: CONTAINERS.valued!,
    once: 'run exec create cp',
    onceOptions: { '*': '--all --volumes --rmi --remove-orphans', down: '-v', rm: '-v -f -s' },
  },
  kubectl: {
    flags: '--insecure-skip-tls-verify --match-server-version --warnings-as-errors',
    valued:
      '-n --namespace --context --cluster --kubeconfig -s --server --user --token --as --as-group --request-timeout -v --v',
    twoWords: 'config rollout set auth certificate plugin top create',
    once: 'exec run debug attach cp replace drain edit config.delete-context config.delete-cluster config.unset',
    onceOptions: {
      '*': '-A --all --all-namespaces --grace-period --now -R --recursive --field-selector --as-uid',
      delete: '-l --selector',
    },
  },
  oc: {
    valued: '-n --namespace --context --kubeconfig',
    twoWords: 'adm project config rollout set',
    once: 'exec run debug rsh rsync cp replace edit',
    onceOptions: { '*': '-A --all --all-namespaces --grace-period --now -R' },
  },
  helm: {
    flags: '--debug',
    valued: '-n --namespace --kube-context --kubeconfig',
    twoWords: 'repo plugin registry dependency get show search',
    onceOptions: { '*': '--post-renderer --no-hooks --atomic --reset-values --repo' },
  },
  kustomize: { twoWords: 'edit cfg' },
  argocd: { depth: 2 },
  terraform: TERRAFORM,
  tofu: TERRAFORM,
  pulumi: {
    valued: '-s --stack -C --cwd',
    twoWords: 'stack config state plugin',
    once: 'destroy state.delete stack.rm',
    onceOptions: { '*': '-y -f --yes --skip-preview' },
  },
  aws: {
    flags: '--no-cli-pager --no-paginate --debug',
    valued: '--profile --region --output --query --cli-read-timeout --cli-connect-timeout --color --ca-bundle',
    depth: 2,
    onceOptions: { '*': '--endpoint-url --no-verify-ssl --recursive --skip-final-snapshot', 's3 sync': '--acl' },
  },
  gcloud: {
    flags: '--quiet -q --verbosity --no-user-output-enabled',
    valued: '--project --account --configuration --format --region --zone --verbosity',
    depth: 2,
    allWords: '*',
  },
  gsutil: { flags: '-m -q', once: 'rm mv cp rsync rb', onceOptions: { '*': '-r -d' } },
  az: {
    flags: '--only-show-errors --debug',
    valued: '--subscription -o --output --query',
    depth: 2,
    allWords: '*',
    onceOptions: { '*': '-y --yes --no-wait' },
  },
  doctl: { valued: '-t --access-token --context', depth: 2, allWords: '*', onceOptions: { '*': '-f' } },
  flyctl: { twoWords: 'apps secrets volumes machine machines postgres scale', once: 'ssh', onceOptions: { '*': '-y' } },
  heroku: { valued: '-a --app', once: 'run', onceOptions: { '*': '--confirm -c' } },
  gh: {
    valued: '-R --repo',
    depth: 2,
    once: 'api',
    onceOptions: { '*': '--admin -y --yes', 'pr merge': '-d', 'pr close': '-d' },
  },
  glab: { valued: '-R --repo', depth: 2, once: 'api', onceOptions: { '*': '-y --yes -d' } },
  vault: { twoWords: 'kv auth secrets policy token operator lease', singleDash: true },
  'ansible-galaxy': { twoWords: 'collection role' },
  vagrant: { once: 'ssh destroy', twoWords: 'box snapshot plugin', onceOptions: { '*': '-f' } },
  apt: DEBIAN_PACKAGES,
  'apt-get': DEBIAN_PACKAGES,
  aptitude: DEBIAN_PACKAGES,
  dnf: REDHAT_PACKAGES,
  yum: REDHAT_PACKAGES,
  apk: { flags: '-q --no-cache', onceOptions: { '*': '-s --allow-untrusted -X -p' } },
  brew: { flags: '-q -v', twoWords: 'services cask bundle', once: 'sh', onceOptions: { '*': '-f --zap' } },
  snap: { onceOptions: { '*': '--classic --dangerous --devmode' } },
  flatpak: { flags: '-y', once: 'run', onceOptions: { '*': '--delete-data' } },
  asdf: { twoWords: 'plugin', once: 'exec' },
  mise: { twoWords: 'run plugins settings', runs: 'exec x', once: 'en' },
  systemctl: {
    flags: '--user -q --quiet --no-pager',
    valued: '-t --type',
    once: 'edit poweroff reboot halt kexec rescue emergency isolate set-default revert',
    onceOptions: { '*': '-f -s -H -M --host --machine --root' },
  },
  journalctl: { onceOptions: { '*': '--vacuum-size --vacuum-time --vacuum-files --rotate --flush' } },
  service: { allWords: '*' },
  supervisorctl: { valued: '-c' },
  pm2: { once: 'start exec kill flush' },
  ip: { flags: '-4 -6 -br -o -s -j', depth: 2, once: 'netns' },
  nmcli: { depth: 2 },
  zfs: { onceOptions: { '*': '-r -R -f' } },
  zpool: { onceOptions: { '*': '-f' } },
  lxc: { once: 'exec file', onceOptions: { '*': '-f' } },
  svn: { flags: '-q --non-interactive', once: 'revert cleanup rm delete del remove mv' },
  hg: {
    flags: '-q -v',
    valued: '-R --cwd',
    once: 'revert purge strip update up rm remove mv',
    onceOptions: { '*': '-f -C' },
  },
  jj: { twoWords: 'git bookmark op operation workspace', once: 'restore abandon' },
};
