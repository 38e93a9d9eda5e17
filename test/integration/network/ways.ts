/** One way out of a sandbox's network. The command prints CANARY when it reached what nobody allowed. */
export interface Way {
  name: string;
  command: string;
  /** What the control is given that the attempt inside is not; null: there is no way to try it outside. */
  control?: 'none';
}

/**
 * The client of these attempts, in Python for its raw sockets. `connect`: a tunnel, and what is said in it. `tls`: a request over
 * TLS in a tunnel, with any name. `raw`: anything to the proxy itself. `plane`: anything to the plane socket.
 */
export const CLIENT = `
import os, socket, ssl, sys
proxy = os.environ['HTTPS_PROXY'].split('//')[1].split(':')
def text(value): return value.encode().decode('unicode_escape').encode('latin1')
def read(sock, limit=65536):
    got = b''
    try:
        while len(got) < limit:
            part = sock.recv(4096)
            if not part: break
            got += part
    except (OSError, ssl.SSLError): pass
    return got
def dial():
    sock = socket.create_connection((proxy[0], int(proxy[1])), 5)
    sock.settimeout(4)
    return sock
def tunnel(target, lines=''):
    sock = dial()
    sock.sendall(('CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n' % (target, target)).encode() + text(lines) + b'\\r\\n')
    head = b''
    while b'\\r\\n\\r\\n' not in head:
        part = sock.recv(1)
        if not part: break
        head += part
    return sock if head.startswith(b'HTTP/1.1 200') else None
def say(sock, payload):
    if sock is None: return print('no tunnel')
    sock.sendall(payload)
    print(read(sock).decode('latin1'))
def wrap(sock, name, versions=None):
    context = ssl._create_unverified_context()
    if versions: context.maximum_version = versions
    return context.wrap_socket(sock, server_hostname=name)
what, args = sys.argv[1], sys.argv[2:]
try:
    if what == 'connect': say(tunnel(args[0], args[2] if len(args) > 2 else ''), text(args[1]))
    elif what == 'raw': say(dial(), text(args[0]))
    elif what == 'tls':
        sock = tunnel(args[0])
        if sock is None: print('no tunnel')
        else: say(wrap(sock, args[1] or None), ('GET / HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' % args[2]).encode())
    elif what == 'nested':
        outer = tunnel(args[0])
        inner = ssl.MemoryBIO(), ssl.MemoryBIO()
        outer.sendall(('CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' % (args[1], args[1])).encode())
        print(read(outer).decode('latin1'))
    elif what == 'plane':
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(4)
        sock.connect('/run/sandgate/plane.sock')
        say(sock, text(args[0]))
    elif what == 'tcp':
        sock = socket.create_connection((args[0], int(args[1])), 3)
        say(sock, b'GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
    elif what == 'udp':
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.settimeout(2)
        sock.sendto(b'x', (args[0], int(args[1])))
        print(sock.recv(100))
except Exception as error: print('failed:', error)
`;

interface Places {
  /** Granted: host:port over TLS, and of plain HTTP. */
  granted: string;
  plain: string;
  /** Not granted, on the same address. */
  other: string;
  otherPlain: string;
}

const GET = (host: string, more = ''): string =>
  `GET / HTTP/1.1\\r\\nHost: ${host}\\r\\n${more}Connection: close\\r\\n\\r\\n`;
const py = (...args: string[]): string => `python3 client.py ${args.map((arg) => `'${arg}'`).join(' ')}`;

/** Every spelling of the address that everything listens on. */
const LITERALS = (port: string): string[] =>
  [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0x7f.0.0.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
  ].map((host) => `${host}:${port}`);

/** The ways through the proxy and around it. */
export function waysOut({ granted, plain, other, otherPlain }: Places): Way[] {
  const otherName = other.split(':')[0] ?? '';
  const plainPort = otherPlain.split(':')[1] ?? '';
  const grantedName = granted.split(':')[0] ?? '';
  const asked = (target: string, lines = ''): string =>
    `GET /internal/tunnel HTTP/1.1\\r\\nHost: plane\\r\\nConnection: upgrade\\r\\nUpgrade: sandgate-tunnel/1\\r\\nX-Tunnel-Target: ${target}\\r\\n${lines}\\r\\n`;
  const ways: [string, string][] = [
    ['a host that is not granted, by curl', `curl -sk -m 5 https://${other}/`],
    ['a host that is not granted, in plain', `curl -s -m 5 http://${otherPlain}/`],
    ['a host that is not granted, by a tunnel for plain http', `curl -s -p -m 5 http://${otherPlain}/`],
    ['a host that is not granted, without the proxy', `curl -sk --noproxy '*' -m 5 https://${other}/`],
    ['an unset proxy', `env -u HTTPS_PROXY -u https_proxy -u ALL_PROXY -u all_proxy curl -sk -m 5 https://${other}/`],
    ['a proxy of one’s own choice', `curl -sk -x http://${otherPlain} -m 5 https://${other}/`],
    ['a name resolved by hand', `curl -sk --noproxy '*' --resolve ${other}:127.0.0.1 -m 5 https://${other}/`],
    [
      'the granted name resolved by hand, at another port',
      `curl -sk --connect-to ${other}:${granted} -m 5 https://${other}/`,
    ],
    ['the granted port of another host', py('connect', `${otherName}:${granted.split(':')[1]}`, GET('x'))],
    ['another port of the granted host', py('connect', `${grantedName}:${plainPort}`, GET(grantedName))],
    ['a name below the granted one', py('connect', `a.${otherPlain}`, GET('x'))],
    ['a dot behind the name', py('connect', `${otherName}.:${plainPort}`, GET('x'))],
    ['a SOCKS proxy', `curl -sk --socks5-hostname 127.0.0.1:3128 -m 5 http://${otherPlain}/`],
    [
      'python without the proxy',
      `python3 -c "import urllib.request as u; print(u.build_opener(u.ProxyHandler({})).open('http://${otherPlain}/', timeout=4).read())"`,
    ],
    [
      'node without the proxy',
      `NODE_USE_ENV_PROXY=0 node -e "fetch('http://${otherPlain}/').then(r=>r.text()).then(console.log)"`,
    ],
    ['git', `GIT_SSL_NO_VERIFY=1 timeout 10 git ls-remote https://${other}/x.git`],
    ['git over ssh', `GIT_SSH_COMMAND='ssh -o ConnectTimeout=3' timeout 8 git ls-remote ssh://git@${otherPlain}/x.git`],
    ['ftp through the proxy', `curl -s -m 5 ftp://${otherPlain}/`],
    ['a file as an address', py('raw', 'GET file:///etc/passwd HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')],
    ...LITERALS(plainPort).map((target): [string, string] => [
      `the address ${target}`,
      py('connect', target, GET('x')),
    ]),
    ['a name with a user', py('connect', `${granted}@${otherPlain}`, GET('x'))],
    [
      'two targets',
      py(
        'raw',
        `CONNECT ${granted} HTTP/1.1\\r\\nHost: ${otherPlain}\\r\\nX-Tunnel-Target: ${otherPlain}\\r\\n\\r\\n${GET(otherPlain)}`,
      ),
    ],
    [
      'the target in the host’s header',
      py('raw', `GET http://${plain}/ HTTP/1.1\\r\\nHost: ${otherPlain}\\r\\nConnection: close\\r\\n\\r\\n`),
    ],
    ['another SNI', py('tls', granted, otherName, otherName)],
    ['no SNI', py('tls', granted, '', otherName)],
    ['an SNI below the name', py('tls', granted, `a.${grantedName}`, otherName)],
    ['plain HTTP with another host', py('connect', plain, GET(otherPlain))],
    [
      'plain HTTP with two hosts',
      py('connect', plain, `GET / HTTP/1.1\\r\\nHost: ${plain}\\r\\nHost: ${otherPlain}\\r\\n\\r\\n`),
    ],
    [
      'plain HTTP in absolute form',
      py('connect', plain, `GET http://${otherPlain}/ HTTP/1.1\\r\\nHost: ${plain}\\r\\n\\r\\n`),
    ],
    [
      'a second request with another host',
      py('connect', plain, `GET / HTTP/1.1\\r\\nHost: ${plain}\\r\\n\\r\\n${GET(otherPlain)}`),
    ],
    [
      'a request in a body',
      py(
        'connect',
        plain,
        `POST / HTTP/1.1\\r\\nHost: ${plain}\\r\\nContent-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n${GET(otherPlain)}`,
      ),
    ],
    [
      'a length twice',
      py(
        'connect',
        plain,
        `POST / HTTP/1.1\\r\\nHost: ${plain}\\r\\nContent-Length: 0\\r\\nContent-Length: 4\\r\\n\\r\\n${GET(otherPlain)}`,
      ),
    ],
    ['a folded host', py('connect', plain, `GET / HTTP/1.1\\r\\nHost:\\r\\n ${otherPlain}\\r\\n\\r\\n`)],
    ['a relayed CONNECT', py('nested', plain, otherPlain)],
    [
      'a CONNECT to the granted host of TLS',
      py('connect', granted, `CONNECT ${otherPlain} HTTP/1.1\\r\\nHost: ${otherPlain}\\r\\n\\r\\n`),
    ],
    ['HTTP/2 in plain', `curl -s --http2-prior-knowledge -p -m 5 http://${plain}/ -H 'Host: ${otherPlain}'`],
    ['an upgrade to HTTP/2', `curl -s --http2 -p -m 5 http://${plain}/ -H 'Host: ${otherPlain}'`],
    ['the plane socket itself, for another host', py('plane', asked(otherPlain) + GET('x'))],
    [
      'the plane socket with the id of another run',
      py('plane', asked(otherPlain, 'X-Session-Id: 0\\r\\nX-Forwarded-For: 1\\r\\n')),
    ],
    ['the plane socket with two targets', py('plane', asked(granted, `X-Tunnel-Target: ${otherPlain}\\r\\n`))],
    [
      'the plane socket with a token of one’s own',
      py('plane', asked(otherPlain, `Authorization: Bearer svc_sess_${'0'.repeat(64)}\\r\\n`)),
    ],
    [
      'the public interface over the plane socket',
      py('plane', 'GET /v1/sessions HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'),
    ],
    [
      'a relay of one’s own',
      `python3 - <<'EOF'
import socket, threading, subprocess, os
server = socket.socket(); server.bind(('127.0.0.1', 0)); server.listen(1)
def relay():
    one, _ = server.accept(); two = socket.create_connection(('127.0.0.1', int(os.environ['HTTPS_PROXY'].rsplit(':', 1)[1])))
    threading.Thread(target=lambda: [two.sendall(part) for part in iter(lambda: one.recv(4096), b'')], daemon=True).start()
    for part in iter(lambda: two.recv(4096), b''): one.sendall(part)
threading.Thread(target=relay, daemon=True).start()
print(subprocess.run(['curl', '-sk', '-m', '5', '-x', 'http://127.0.0.1:%d' % server.getsockname()[1], 'https://${other}/'], capture_output=True).stdout)
EOF`,
    ],
    ['a resolver over UDP', py('udp', '127.0.0.1', '53')],
    ['a resolver over TCP', py('connect', `${otherName}:53`, 'x')],
    ['a resolver over TLS', py('connect', `${otherName}:853`, 'x')],
    ['a name, resolved in the sandbox', `getent hosts ${grantedName} && echo CANARY`],
    ['tcp to what everything listens on', py('tcp', '127.0.0.1', plainPort)],
    ['mail', py('connect', `${otherName}:25`, 'EHLO x\\r\\n')],
  ];
  return ways.map(([name, command]) => ({ name, command }));
}
