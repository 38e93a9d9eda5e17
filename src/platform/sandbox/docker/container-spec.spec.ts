import { describe, expect, it } from '@jest/globals';
import { containerBody, type ContainerPlan } from './container-spec.js';

const PLAN: ContainerPlan = {
  image: 'localhost/sandgate-sandbox:1',
  flavour: 'docker',
  runtime: null,
  labels: { 'service.session': 'run', 'service.managed': '1', 'service.deployment': 'host' },
  uid: 231_001,
  ownUid: true,
  sizes: { memory_mb: 512, cpus: 1.5, disk_mb: 64, pids: 100 },
  fileBytes: null,
  mounts: [
    { source: '/shown/runtime', target: '/opt/sandgate', readOnly: true, ours: true },
    { source: '/runs/run/disk/workspace', target: '/workspace', readOnly: false },
  ],
  seccomp: '{}',
  program: ['/opt/sandgate/runner-node', '/opt/sandgate/runner/main.mjs'],
};

const HOME = { source: '/runs/run/disk/home', target: '/home/agent', readOnly: false };
const hostConfig = (change: Partial<ContainerPlan> = {}) => containerBody({ ...PLAN, ...change }).HostConfig;

describe('the body of a container', () => {
  it('takes everything away that a run does not need', () => {
    expect(containerBody(PLAN)).toMatchInlineSnapshot(`
     {
       "AttachStderr": true,
       "AttachStdin": true,
       "AttachStdout": true,
       "Entrypoint": [
         "/usr/bin/catatonit",
         "--",
         "/bin/sh",
         "-c",
         "exec 3<&0 4>&2 < /dev/null 2>&1; exec /usr/bin/env -i "$@"",
         "sandgate",
         "PATH=/opt/sandgate/node/bin:/usr/local/bin:/usr/bin:/bin",
         "HOME=/home/agent",
         "USER=agent",
         "LOGNAME=agent",
         "SHELL=/bin/bash",
         "LANG=C.UTF-8",
         "TMPDIR=/tmp",
         "SANDGATE_READY_FD=4",
         "/opt/sandgate/runner-node",
         "/opt/sandgate/runner/main.mjs",
       ],
       "HostConfig": {
         "AutoRemove": false,
         "CapDrop": [
           "ALL",
         ],
         "CgroupnsMode": "private",
         "Init": false,
         "IpcMode": "private",
         "LogConfig": {
           "Config": {
             "max-file": "3",
             "max-size": "4m",
           },
           "Type": "json-file",
         },
         "MaskedPaths": [
           "/proc/acpi",
           "/proc/asound",
           "/proc/interrupts",
           "/proc/kcore",
           "/proc/key-users",
           "/proc/keys",
           "/proc/latency_stats",
           "/proc/sched_debug",
           "/proc/scsi",
           "/proc/timer_list",
           "/proc/timer_stats",
           "/sys/devices/virtual/powercap",
           "/sys/firmware",
         ],
         "Memory": 536870912,
         "MemorySwap": 536870912,
         "Mounts": [
           {
             "ReadOnly": true,
             "Source": "/shown/runtime",
             "Target": "/opt/sandgate",
             "Type": "bind",
           },
           {
             "ReadOnly": false,
             "Source": "/runs/run/disk/workspace",
             "Target": "/workspace",
             "Type": "bind",
           },
         ],
         "NanoCpus": 1500000000,
         "NetworkMode": "none",
         "PidsLimit": 104,
         "Privileged": false,
         "ReadonlyRootfs": true,
         "RestartPolicy": {
           "Name": "no",
         },
         "SecurityOpt": [
           "no-new-privileges",
           "seccomp={}",
         ],
         "ShmSize": 67108864,
         "Tmpfs": {
           "/home/agent": "rw,exec,nosuid,nodev,size=134217728,mode=1777",
           "/run": "rw,exec,nosuid,nodev,size=1048576,mode=0755",
           "/tmp": "rw,exec,nosuid,nodev,size=268435456,mode=1777",
         },
         "Ulimits": [
           {
             "Hard": 0,
             "Name": "core",
             "Soft": 0,
           },
           {
             "Hard": 16384,
             "Name": "nofile",
             "Soft": 16384,
           },
           {
             "Hard": 104,
             "Name": "nproc",
             "Soft": 104,
           },
         ],
       },
       "Hostname": "sandgate",
       "Image": "localhost/sandgate-sandbox:1",
       "Labels": {
         "service.deployment": "host",
         "service.managed": "1",
         "service.session": "run",
       },
       "NetworkDisabled": true,
       "OpenStdin": true,
       "StdinOnce": true,
       "Tty": false,
       "User": "231001:231001",
       "WorkingDir": "/workspace",
     }
    `);
  });

  it('holds no token, no variable of a run, and no environment', () => {
    const { Env, Entrypoint } = containerBody(PLAN);
    expect(Env).toBeUndefined();
    expect(Entrypoint?.slice(0, 5)).toEqual([
      '/usr/bin/catatonit',
      '--',
      '/bin/sh',
      '-c',
      expect.stringContaining('env -i'),
    ]);
    expect(Entrypoint?.slice(-2)).toEqual(PLAN.program);
  });

  it('speaks to Podman as Podman understands it', () => {
    const podman = hostConfig({ flavour: 'podman', seccomp: '/data/seccomp/1.json' });
    expect(podman?.SecurityOpt).toEqual([
      'no-new-privileges',
      'seccomp=/data/seccomp/1.json',
      expect.stringMatching(/^mask=\/proc\/acpi:.*:\/proc\/keys:/),
    ]);
    expect(podman?.MaskedPaths).toBeUndefined();
    expect(podman?.LogConfig).toEqual({ Type: 'k8s-file', Config: { 'max-size': '16m' } });
  });

  it('never has an engine make a folder of this host, nor gives away its socket', () => {
    const { Binds, Mounts, VolumesFrom } = hostConfig() ?? {};
    expect([Binds, VolumesFrom]).toEqual([undefined, undefined]);
    expect(JSON.stringify(Mounts)).not.toMatch(/docker\.sock|podman\.sock/);
  });

  it('has no home folder in memory where the run keeps one on its disk', () => {
    expect(hostConfig()?.Tmpfs).toHaveProperty(HOME.target);
    const kept = hostConfig({ mounts: [...PLAN.mounts, HOME] });
    expect(kept?.Tmpfs).not.toHaveProperty(HOME.target);
    expect(kept?.Mounts).toContainEqual({ Type: 'bind', Source: HOME.source, Target: HOME.target, ReadOnly: false });
  });

  it('has a network only where one leads to the plane, without its second protocol', () => {
    const network = { name: 'service-net-run', dns: '10.89.0.2' };
    const body = containerBody({ ...PLAN, network });
    expect(body.NetworkDisabled).toBe(false);
    expect(body.NetworkingConfig).toBeUndefined();
    expect(body.HostConfig).toMatchObject({
      NetworkMode: 'service-net-run',
      Dns: ['10.89.0.2'],
      Sysctls: { 'net.ipv6.conf.all.disable_ipv6': '1' },
    });
    expect(containerBody({ ...PLAN, network: { ...network, address: '10.89.0.2' } }).NetworkingConfig).toEqual({
      EndpointsConfig: { 'service-net-run': { IPAMConfig: { IPv4Address: '10.89.0.2' } } },
    });
    expect(hostConfig()).not.toHaveProperty('Dns');
  });

  it('names the runtime and bounds the largest file only where it has to', () => {
    const named = hostConfig({ runtime: 'runsc', fileBytes: 1024, ownUid: false });
    expect(named?.Runtime).toBe('runsc');
    expect(named?.Ulimits).toEqual(
      expect.arrayContaining([
        { Name: 'fsize', Soft: 1024, Hard: 1024 },
        { Name: 'nproc', Soft: 4096, Hard: 4096 },
      ]),
    );
    expect(hostConfig()).not.toHaveProperty('Runtime');
  });
});
