import type { Probe } from './probe.js';
import { call, node, perl, sh } from './probe.js';

const connect = (target: string): string => `
const socket = require('net').connect(${target});
socket.on('connect', () => { console.log('REACHED'); process.exit(); });
socket.on('error', (error) => { console.log('blocked: ' + error.code); process.exit(); });
setTimeout(() => { console.log('blocked: silence'); process.exit(); }, 3000);`;

/** Runs a command beside a server, from the moment on at which it listens. */
const WHILE_LISTENING = `const [port, address, program, ...args] = process.argv.slice(1);
require("net").createServer((socket) => socket.end()).listen(Number(port), address, () =>
  require("child_process").spawn(program, args, { stdio: "inherit" }).on("exit", (code) => process.exit(code ?? 1)));`;

/** A loopback network of its own in which the address exists and answers, for addresses that the test machine lacks. */
const withAddress = (address: string, port: number): string[] => [
  'unshare',
  '-n',
  'sh',
  '-c',
  `ip link set lo up && ip addr add ${address}/32 dev lo && exec "$NODE" -e '${WHILE_LISTENING}' ${port} ${address} "$@"`,
  'control',
];

/** An interface of some kind that the kernel of the test machine has. */
const WITH_INTERFACE = [
  'unshare',
  '-n',
  'sh',
  '-c',
  'for kind in dummy veth bridge ifb; do ip link add probe0 type $kind 2> /dev/null && break; done; ip addr add 198.51.100.1/24 dev probe0 && ip link set probe0 up && "$@"',
  'control',
];

const FAMILIES: [name: string, family: number, type: number, protocol: number][] = [
  ['AF_VSOCK, which reaches the hypervisor', 40, 1, 0],
  ['AF_ALG, the kernel’s ciphers', 38, 5, 0],
  ['AF_PACKET', 17, 3, 0x300],
  ['AF_KEY', 15, 3, 2],
  ['AF_TIPC', 30, 1, 0],
  ['AF_XDP', 44, 3, 0],
  ['AF_SMC', 43, 1, 0],
  ['AF_BLUETOOTH', 31, 3, 1],
  ['AF_CAN', 29, 3, 1],
  ['AF_INET raw', 2, 3, 1],
  ['AF_INET6 raw', 10, 3, 58],
  ['netlink for kernel events', 16, 3, 15],
  ['netlink for audit', 16, 3, 9],
  ['netlink for the firewall', 16, 3, 12],
  ['netlink for generic families', 16, 3, 16],
  ['netlink for IPsec', 16, 3, 6],
  ['netlink for socket diagnosis', 16, 3, 4],
];

export const NETWORK_PROBES: Probe[] = [
  node('tcp to the host’s loopback', connect('{ host: "127.0.0.1", port: Number(process.env.PROBE_TCP_PORT) }')),
  node('tcp to the host’s IPv6 loopback', connect('{ host: "::1", port: Number(process.env.PROBE_TCP6_PORT) }')),
  node('tcp to any address of the host', connect('{ host: "127.42.0.7", port: Number(process.env.PROBE_TCP_PORT) }')),
  node('tcp to the metadata address', connect('{ host: "169.254.169.254", port: 80 }'), {
    controlThrough: withAddress('169.254.169.254', 80),
  }),
  node('tcp to a private address', connect('{ host: "10.0.0.1", port: 443 }'), {
    controlThrough: withAddress('10.0.0.1', 443),
  }),
  node('tcp to a public address', connect('{ host: "203.0.113.9", port: 443 }'), {
    controlThrough: withAddress('203.0.113.9', 443),
  }),
  node('a host’s abstract socket', connect('{ path: "\\0" + process.env.PROBE_ABSTRACT }')),
  node('a host’s socket file', connect('{ path: process.env.PROBE_SOCKET }')),
  node(
    'udp to the host’s loopback',
    `
const socket = require('dgram').createSocket('udp4');
socket.on('message', () => { console.log('REACHED'); process.exit(); });
socket.on('error', (error) => { console.log('blocked: ' + error.code); process.exit(); });
socket.send('ping', Number(process.env.PROBE_UDP_PORT), '127.0.0.1');
setTimeout(() => { console.log('blocked: silence'); process.exit(); }, 1500);`,
  ),
  node(
    'DNS through a resolver on the host',
    `
const resolver = new (require('dns').Resolver)({ timeout: 1000, tries: 1 });
resolver.setServers(['127.0.0.1:' + process.env.PROBE_UDP_PORT]);
resolver.resolve4('exfiltrate.example', (error, found) => { console.log(!error || !['ECONNREFUSED', 'ETIMEOUT', 'ECANCELLED'].includes(error.code) ? 'REACHED' : 'blocked: ' + error.code); process.exit(); });`,
  ),
  node(
    'an interface that leads out',
    `
const names = Object.values(require('os').networkInterfaces()).flat().filter((one) => !one.internal);
console.log(names.length > 0 ? 'REACHED' : 'blocked: loopback only');`,
    {
      controlThrough: WITH_INTERFACE,
    },
  ),
  sh('a route that leads out', 'test "$(tail -n +2 /proc/net/route | wc -l)" -gt 0 && echo REACHED || echo blocked', {
    controlThrough: WITH_INTERFACE,
  }),
  ...FAMILIES.map(([name, family, type, protocol]) =>
    call('socket', [family, type, protocol], {}, `a socket of ${name}`),
  ),
  perl(
    'a SysV memory segment of the host',
    `my $id = shmget($ENV{PROBE_SHM_KEY} + 0, 0, 0); print(defined $id ? "REACHED\\n" : "blocked: $!\\n");`,
  ),
  node(
    'the host’s name',
    `console.log(require('os').hostname() === process.env.PROBE_HOSTNAME ? 'REACHED' : 'blocked');`,
  ),
];
