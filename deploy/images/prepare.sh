#!/bin/sh
# What every image of a sandbox needs beside its packages. Runs as root inside the image, while it is made.
set -eu

# The first process of a sandbox. Who cannot read the program cannot look into the process either.
chmod 0111 /usr/bin/catatonit

# Places that a sandbox mounts over; its root is read-only.
mkdir -p /opt/sandgate /run/sandgate /home/agent /workspace /etc/codex
for name in passwd group hosts nsswitch.conf; do [ -e "/etc/$name" ] || : > "/etc/$name"; done

# npm runs on the Node that sandboxes are given.
if [ -d /usr/local/lib/node_modules/npm ]; then
  for name in npm npx; do ln -sf "../lib/node_modules/npm/bin/$name-cli.js" "/usr/local/bin/$name"; done
fi

# Programs that Sandgate confines see folders of the host at their own paths, which may lie below it.
chmod 0711 /root

# Nobody inside can gain rights, so no program needs to offer them.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +

rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/*.log
