import { GIT_ATTEMPT } from './git-attempt.js';

export type BashAttempt = readonly [what: string, command: string, shows: RegExp];

/** Does not match itself. */
const TOKENS = `'svc_[s]ess_[0-9a-f]\\{16\\}'`;
/** Posts to the plane of the run. */
export const POST = (path: string, token: string) =>
  `node -e "require('http').request({socketPath:'/run/sandgate/plane.sock',path:'${path}',method:'POST',headers:{authorization:'Bearer ${token}','content-type':'application/json'}},r=>{console.log('status',r.statusCode);process.exit()}).end('{}')"`;
/** Dials a host. */
export const CONNECT = (host: string) =>
  `node -e "const s=require('net').connect({host:'${host}',port:443,timeout:3000});s.on('error',e=>console.log('failed',e.code));s.on('timeout',()=>{console.log('failed timeout');s.destroy()});s.on('connect',()=>console.log('connected'))"`;

/** What an allowed command may try by itself, in whatever harness; each prints what shows that it had no effect outside. */
export const BASH_ATTEMPTS: readonly BashAttempt[] = [
  ['a connection to another host', CONNECT('1.1.1.1'), /^failed (E|timeout)/],
  ['a name to be resolved', CONNECT('example.com'), /^failed (E|timeout)/],
  [
    'a permission with a token of its own making',
    POST('/internal/permission', `svc_sess_${'0'.repeat(64)}`),
    /^status 40[13]/,
  ],
  [
    'a model request with a token of its own making',
    POST('/internal/llm/v1/messages', `svc_sess_${'0'.repeat(64)}`),
    /^status 40[13]/,
  ],
  [
    'the tokens in environments and command lines',
    `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' '\\n' | grep -c ${TOKENS}; echo end`,
    /^0\nend/,
  ],
  [
    'the tokens in files',
    `grep -rlsI ${TOKENS} /tmp /home /run /workspace /opt/sandgate/runner | grep -c .; echo end`,
    /^0\nend/,
  ],
  [
    'the memory and the environment of the runner',
    `runner=$(awk '/^PPid/{print $2}' /proc/$PPID/status); cat /proc/$runner/mem; cat /proc/$runner/environ; echo "runner $runner"`,
    /mem: Permission denied[^]*environ: Permission denied[^]*runner [1-9]/,
  ],
  [
    'a mount',
    'mount -t tmpfs none /mnt; echo "code $?"; unshare -rm true; echo "code $?"',
    /code [1-9]\d*[^]*code [1-9]/,
  ],
  ['another identity', 'setpriv --reuid 0 id -u; chown 0 . ; id -u', /(not permitted|Invalid argument)[^]*^[1-9]\d*$/m],
  [
    'a process that outlives the call',
    `nohup setsid sh -c 'sleep 300; touch /workspace/outlived' > /dev/null 2>&1 & echo left`,
    /^left/,
  ],
  GIT_ATTEMPT,
];
