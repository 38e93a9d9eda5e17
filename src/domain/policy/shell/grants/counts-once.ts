import { wordSet } from './subcommand-grammar.js';

/** Programs that delete, overwrite, re-own or kill, or that undo or unpack over what is there. */
const DESTRUCTIVE = wordSet(
  'rm rmdir unlink shred wipe srm rimraf del-cli trash trash-put dd truncate fallocate mv cp install ln tee sponge rename prename mmv patch ed ex ' +
    'rsync scp sftp rclone tar bsdtar unzip cpio pax ar 7z 7za 7zr gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd ' +
    'chmod chown chgrp chattr chcon restorecon setfacl setcap umask ' +
    'kill killall killall5 pkill skill xkill fuser reboot shutdown halt poweroff init telinit ' +
    'mkfs mke2fs mkswap swapon swapoff fdisk sfdisk cfdisk gdisk sgdisk parted wipefs blkdiscard losetup cryptsetup hdparm mdadm dmsetup ' +
    'lvremove vgremove pvremove lvreduce mount umount fusermount fstrim ' +
    'crontab passwd chpasswd chsh useradd userdel usermod groupadd groupdel groupmod adduser deluser visudo ' +
    'iptables ip6tables nft ufw firewall-cmd sysctl modprobe rmmod insmod dpkg rpm pacman update-alternatives ssh-keygen ' +
    'dropdb dropuser createdb pg_restore mysqladmin',
);
/** `mkfs.ext4`, `mount.nfs` and the like. */
const DESTRUCTIVE_FAMILY = /^(?:mkfs|fsck|mount|umount)\./;

/** Programs whose arguments, or whose input, are statements, requests or code: one call says nothing about the next. */
const GIVEN_CODE = wordSet(
  'psql mysql mariadb sqlite3 duckdb mongo mongosh redis-cli valkey-cli cqlsh sqlcmd clickhouse clickhouse-client influx etcdctl ' +
    'osascript ansible ansible-console sqlplus bq jrunscript m4 bc dc emacs vim vi nvim http https httpie xh',
);

/** Options that force, delete or reach further than their command does without them; also whatever begins so. */
const REACHES_FURTHER = byInitial(
  '--force --hard --delete --destroy --purge --prune --wipe --erase --overwrite --remove --mirror --privileged --no-verify --unsafe --global --cascade --kill --auto-approve --discard --amend --reset --replace --drop --exec --write --fix --in-place --inplace --no-preserve-root',
);
/** Options that make a command do less than it does without them: a yes to these says nothing of the rest. */
const DOES_LESS = /^--?(?:dry-?run|simulate|just-print|no-act|what-?if|help|version|check)(?:=.*)?$/;

/** The same for programs that name them in a way of their own. */
const OPTIONS_OF_PROGRAMS: ReadonlyMap<string, readonly string[]> = listsOf({
  sed: '-i',
  yq: '-i',
  perl: '-i',
  gofmt: '-w',
  goimports: '-w',
  'clang-format': '-i',
  prettier: '-w',
  rubocop: '-a -A',
  curl: '-X --request -d --data -F --form -T --upload-file --json --url-query -o -O --output --remote-name -Q --quote -K',
  wget: '--method --post --body -O -o -i',
  date: '-s --set',
  hostname: '-F -b',
  'ansible-playbook': '-C -e --extra-vars -b --become -i --inventory -l --limit',
});

/** Why every call of the program counts once, or null. */
export function countsOnce(name: string): string | null {
  if (DESTRUCTIVE.has(name) || DESTRUCTIVE_FAMILY.test(name)) {
    return `\`${name}\` deletes, overwrites, re-owns or kills`;
  }
  return GIVEN_CODE.has(name) ? `\`${name}\` does whatever it is given` : null;
}

/** Why an option takes the grant away, whatever the program; null when it does not. */
export function optionCountsOnce(name: string, option: string): string | null {
  if (DOES_LESS.test(option)) return `with \`${option}\` the command does less than without it`;
  const long = nameOf(option);
  const listed = option.startsWith('--') ? (REACHES_FURTHER.get(option[2]) ?? []) : [];
  const stem = listed.find((each) => long.startsWith(each) || (long.length > 4 && each.startsWith(long)));
  return stem !== undefined || isListedOption(option, OPTIONS_OF_PROGRAMS.get(name) ?? [], false)
    ? reachesFurther(option)
    : null;
}

export function reachesFurther(option: string): string {
  return `\`${option}\` makes the command reach further than without it`;
}

/** Whether the word is one of these options: also shortened or longer, with its value, or as a letter among joined ones. */
export function isListedOption(word: string, listed: readonly string[], singleDash: boolean): boolean {
  if (listed.length === 0) return false;
  const name = nameOf(word);
  if (singleDash) return listed.some((option) => option === word || undashed(option) === undashed(name));
  return listed.some((option) => {
    if (option === name || option === word) return true;
    if (option.startsWith('--')) {
      return name.startsWith(option) || (name.length > 3 && name.startsWith('--') && option.startsWith(name));
    }
    return option.length === 2 && /^-[A-Za-z0-9]/.test(word) && word.includes(option[1]!);
  });
}

function nameOf(option: string): string {
  const equals = option.indexOf('=');
  return equals === -1 ? option : option.slice(0, equals);
}

/** Long options by the letter behind their dashes. */
function byInitial(list: string): ReadonlyMap<string | undefined, readonly string[]> {
  return Map.groupBy(list.split(' '), (option) => option[2]);
}

function listsOf(lists: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(lists).map(([program, list]) => [program, list.split(' ')]));
}

function undashed(option: string): string {
  return option.replace(/^--?/, '');
}
