/**
 * The generated files of `/etc`: inside, the uid is called `agent` (docs/design/sandbox.md). Names come from files alone, because
 * there is no name service inside.
 */
export function etcFiles(uid: number): Record<'passwd' | 'group' | 'hosts' | 'nsswitch.conf', string> {
  const nobody = 'nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n';
  return {
    passwd: `root:x:0:0:root:/:/usr/sbin/nologin\nagent:x:${uid}:${uid}:agent:/home/agent:/bin/bash\n${uid === 65534 ? '' : nobody}`,
    group: `root:x:0:\nagent:x:${uid}:\n${uid === 65534 ? '' : 'nogroup:x:65534:\n'}`,
    hosts: '127.0.0.1 localhost sandgate\n::1 localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files\nprotocols: files\nservices: files\n',
  };
}
