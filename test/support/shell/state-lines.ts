import type { LineSource } from './line-source.js';

/**
 * Lines in which an earlier part decides what a later one means: values of variables, the current folder, and what braces and globs
 * expand to.
 */
export class StateLines {
  constructor(private readonly source: LineSource) {}

  line(): string {
    return this.source.one([() => this.valued(), () => this.valued(), () => this.moved(), () => this.multiplied()]);
  }

  /** A variable gets a value that is code or an option in the wrong place, and is used. */
  // prettier-ignore
  private valued(): string {
    const { source } = this;
    const value = this.value();
    const use = this.use();
    return source.one([
      `x=${value}; ${use}`,
      `x=${value} && ${use}`,
      `for x in ${value}; do ${use}; done`,
      `for x in a ${value}; do ${use}; done`,
      `read -r x <<< ${value}; ${use}`,
      `while read x; do ${use}; done <<< ${value}`,
      `while read -r x; do ${use}; done <<'E'\n${value.slice(1, -1)}\nE`,
      `export x=${value}; ${use}`,
      `declare x=${value}; ${use}`,
      `x=${value} bash -c ${source.quote(use)}`,
      `env x=${value} bash -c ${source.quote(use)}`,
      `set -- ${value}; ${use.replaceAll(/\$x|\$\{x/g, (found) => found.replace('x', '1'))}`,
      `bash -c ${source.quote(use.replaceAll(/\$x\b/g, '$1'))} _ ${value}`,
      `bash -c ${source.quote(use.replaceAll(/\$x\b/g, '$@'))} _ ${value}`,
      `echo ${value} | while read -r x; do ${use}; done`,
      `echo ${value} | xargs -I X ${use.replaceAll(/"?\$x\b"?/g, 'X')}`,
      `echo ${value} | xargs ${use.replaceAll(/"?\$x\b"?/g, '')}`,
      `: \${x:=${value}}; ${use}`,
      `printf -v x %s ${value}; ${use}`,
      `mapfile -t x <<< ${value}; ${use}`,
      `x=a; x+=${value}; ${use}`,
      `${use.replaceAll(/\$x\b/g, `$(echo ${value})`)}`,
      `${use.replaceAll(/\$x\b/g, () => source.pick(['$y', '$e', '$w', '"$y"', '"$e"', '${y}', '${e:-a}', '${z:-$y}', '"${w}"', '$*', '"$@"']))}`,
      `case a in a) x=${value};; esac; ${use}`,
      `(x=${value}; ${use})`,
      `{ x=${value}; }; ${use} | cat`,
      `if true; then x=${value}; fi; ${use}`,
    ]);
  }

  private value(): string {
    const { source } = this;
    return source.quote(
      source.one([
        () => `a[$(${source.program()})]`,
        () => `a[$(${source.program()})0]`,
        () => `-exec ${source.program()} ;`,
        () => `$(${source.program()})`,
        () => `-e1e ${source.program()}`,
        () => `1e ${source.program()}`,
        () => `-v a[$(${source.program()})]`,
        () => `-va[$(${source.program()})]`,
        () => `; ${source.program()}`,
        () => source.program(),
        () => `${source.program()} a`,
        () => `--eval=x:=$(${source.program()})`,
        () => `-o${source.file()}`,
        () => `-o ${source.file()}`,
        () => `f ${source.file()}`,
        () => source.file(),
        () => `-fprint ${source.file()}`,
        () => `w ${source.file()}`,
        () => `-i`,
        () => '-delete',
        () => `BEGIN{system("${source.program()}")}`,
        () => `-vx=1 BEGIN{system("${source.program()}")}`,
        () => `--compress-program=${source.program()}`,
        () => `-S${source.program()} a`,
        () => `x=1 ${source.program()}`,
        () => `-c ${source.program()}`,
        () => `1 || a[$(${source.program()})]`,
        '/etc/hosts',
        'd',
        '/',
      ]),
    );
  }

  // prettier-ignore
  private use(): string {
    return this.source.pick([
      'echo $((x))', 'echo $((x + 1))', '((x)); ls', '((i = x))', 'echo $[x]', '[[ $x -eq 0 ]]', '[[ x -eq 0 ]]', '[[ -v $x ]]',
        '[[ a == $x ]]', '[[ a =~ $x ]]', '[[ -n $x ]]',
      '[ -v "$x" ]', '[ $x ]', '[ "$x" ]', '[ "$x" = a ]', '[ $x = a ]', '[ 1 -eq "$x" ]', 'test $x', 'test -n "$x"', 'test "$x" -gt 0',
        'test a "$x" b', 'test -e "$x"', 'test ! $x',
      'printf $x a', 'printf "$x"', 'printf "%s" $x', 'printf "%d" "$x"', 'printf -- "$x"', 'printf "a$x" b', "printf '%q' \"$x\"",
        'printf "$x" "$x"',
      'find . $x', 'find $x', 'find "$x"', 'find . "$x"', 'find . -name "$x"', 'find . -name $x', 'find . -exec $x \\;',
        'find . -exec ls $x \\;', 'find . -exec ls "$x" +', 'find "$x" -name a', 'find ./$x', 'find . -path ./$x', 'find -- $x',
        'find . -maxdepth $x',
      'sed $x f', 'sed "$x" f', 'sed -n p "$x"', 'sed -n p $x', 'sed -e p $x', 'sed -n p -- $x', 'sed -n p ./$x', 'sed "s/a/$x/" f',
        'sed -n "$x"p f', 'sed -n p f$x', 'sed -i p "$x"', 'sed -i p -- $x', 'sed p < "$x"', "sed -n '/'$x'/p' f",
      'awk "$x" f', 'awk -v n="$x" 1 f', 'awk -v n=$x 1 f', 'awk 1 $x', 'awk 1 "$x"', 'awk 1 f $x', 'awk $x f', 'awk -F $x 1 f',
        'awk -F"$x" 1 f', 'awk -F "$x" 1', 'awk -- 1 $x', "awk '{print \"'$x'\"}' f", 'awk "{print $x}" f', 'awk 1 x="$x" f',
      'sort $x f', 'sort "$x"', 'sort -- $x', 'sort -k $x f', 'sort -t "$x" f', 'sort -k"$x" f', 'sort f $x', 'sort -o "$x" f',
        'sort -o out $x', 'sort -k1 "$x"', 'uniq f "$x"', 'uniq $x', 'uniq "$x"', 'uniq -f "$x" f', 'uniq -- $x', 'uniq - $x', 'uniq -c $x',
      'make $x', 'make "$x"', 'make one $x', 'make -C "$x"', 'make CI="$x"', 'make -- $x', 'make -j $x', 'make LANG=$x', 'make -C . $x',
        'make -j"$x" all',
      'xargs $x', 'xargs -n "$x" ls', 'xargs -n1 $x', 'xargs ls $x', 'xargs -I "$x" ls', 'xargs -d "$x" ls', 'xargs "$x" ls',
        'xargs -a "$x" ls', 'xargs -n1 sh -c "$x"',
      'bash -c "$x"', 'bash -c \'echo "$0"\' "$x"', 'bash -c \'$0\' $x', 'bash -c "echo $x"', 'bash $x', 'bash "$x"', 'bash -c ls $x',
        'bash $x -c ls', 'sh -c "$x"', 'sh -c \'ls "$1"\' _ "$x"', 'sh $x', 'bash -o "$x" -c ls', 'bash <<< "$x"', 'echo "$x" | bash',
        'bash -c ls "$x" $x',
      'env $x ls', 'env "$x" ls', 'env a="$x" ls', 'env -u "$x" ls', 'env -u $x ls', 'nice $x ls', 'nice -n $x ls', 'nice -n "$x" ls',
        'timeout $x ls', 'timeout "$x" ls', 'timeout -s "$x" 1 ls', 'timeout -k "$x" 1 ls', 'nohup $x', 'nohup "$x"', 'command $x',
        'command "$x"', 'builtin $x', 'command -v $x', 'time $x', 'exec $x', 'nice $x', 'env $x',
      '$x', '"$x"', '"$x" a', '$x a', 'ls; $x', 'a$x', '${x}b', '! $x', 'CI=$x ls', 'LANG="$x" ls', 'a=$x ls', 'a="$x"; ls',
      'echo a > $x', 'echo a > "$x"', 'echo a >> "d/$x"', 'cat < $x', 'cat < "$x"', 'echo a >&$x', 'echo a &> "$x"', 'cat <<< $x',
        'cat <<E\n$x\nE\nls', 'cat <<E\n$((x))\nE\nls', 'echo a > out$x', 'echo a 2>$x',
      'cd $x; echo a > out', 'cd "$x" && echo a > out', 'pushd $x; ls > out', 'cd d/$x && ls > out', 'cd ${x}; sed -i p g',
      'echo ${z:x}', 'echo ${z:$x}', 'echo ${z:0:x}', 'echo ${x@P}', 'echo ${!x}', 'echo "${a[x]}"', 'echo ${a[$x]}', 'echo ${a["$x"]}',
        'echo ${x:-$x}', 'echo ${x/a/$x}', 'echo "${x#"$x"}"', 'echo ${#a[x]}', 'echo ${a[@]:x}', 'echo ${x^$x}', 'echo ${x:$((x))}',
        'echo ${a[x]:-b}', 'a[x]=1', 'a[$x]=1; ls', 'a=([x]=1)', 'unset "a[$x]"', 'unset $x', 'read $x', 'read "a[$x]"', 'export $x',
        'export "$x"', 'declare $x', 'declare -i n=$x', 'declare -n n=$x; echo $n', 'readonly "$x"', 'let $x', 'let "n=x"', 'let n=$x',
        'wait -p $x', 'wait $x', 'printf -v "$x" a', 'printf -v $x a', 'mapfile "$x" <f', 'getopts a $x', 'getopts a "$x"', 'local $x',
        'typeset $x', 'kill $x', 'set $x; ls', 'set -- $x; ls $1', 'shift $x', 'exit $x', 'return $x', 'break $x', 'trap "$x" EXIT',
        'eval $x', '. $x', 'source "$x"', 'alias a=$x; a', 'hash $x', 'type $x', 'enable $x', 'ulimit $x', 'umask $x', 'shopt -s $x',
        'compgen -W "$x"', 'test -t $x', 'fc $x', 'bind $x', 'exec > $x; ls', 'exec {fd}>$x',
        'for ((i = x; i < 1; i++)); do ls; break; done', 'for i in $x; do $i; done', 'for i in $x; do ls "$i"; done',
        'case $x in $x) ls;; esac', 'case a in $x) ls;; *) :;; esac', 'select i in $x; do ls; done', 'echo {a,$x}', 'ls $x*', 'ls ~$x',
        'echo $x', 'ls "$x"', 'git $x', 'git "$x"', 'npm $x', 'grep $x f', 'grep "$x" f', 'grep -f $x f', 'cat $x', 'cat -- "$x"',
        'head -n $x f', 'tee $x', 'cp a "$x"', 'rm -- $x', 'time -p ls $x',
    ]);
  }

  /** The folder changes, or does not, before files are named. */
  // prettier-ignore
  private moved(): string {
    const { source } = this;
    const folder = source.choose(['d', './d', '/workspace/d', 'd/sub', '/tmp'], ['..', '.', '/', '-', '""', '~', '$HOME', '-- d', '-P d',
      '-L d', '-LP d', '-@ d', '-e d', 'd/..', 'none', 'f', '"d"', "'d'", 'd/', 'd//sub', 'd/sub/..', '-2', '+1', '$w', 'd sub', '',
      '{d,sub}', 'd*', '?', '-- -', '../workspace/d', 'sub', '-n d', 'd/sub/../..']);
    const change = source.choose([`cd ${folder}`], [`pushd ${folder}`, 'popd', `builtin cd ${folder}`, `command cd ${folder}`,
      `cd ${folder} 2>/dev/null`, `! cd ${folder}`, `time cd ${folder}`, `cd ${folder} | cat`, `(cd ${folder})`, `{ cd ${folder}; }`,
      `if cd ${folder}; then :; fi`, `cd ${folder} &`, `for i in ${folder}; do cd $i; done`, `while cd ${folder}; do break; done`,
      `case a in a) cd ${folder};; esac`, `x=$(cd ${folder})`, `cd ${folder}; cd ..`, `cd ${folder}; cd -`, `cd d; cd ${folder}`,
      `cd $(echo ${folder})`, `CDPATH=d cd ${folder}`, `CDPATH=/workspace/d; cd ${folder}`, `"cd" ${folder}`, `c\\d ${folder}`,
      `cd ${folder} >/dev/null`, `false && cd ${folder}`, `true || cd ${folder}`, `cd none || cd ${folder}`, `echo a; cd ${folder}`,
      `dirs; pushd ${folder}; popd`, `pushd -n ${folder}`, `pushd; pushd`, `pushd d; pushd ${folder}; pushd +1`, `set -e; cd ${folder}`,
      `OLDPWD=/workspace/d; cd -`, `HOME=/workspace/d; cd`, `env cd ${folder}`]);
    const act = (): string => source.one([() => `echo a > ${source.file()}`, () => `echo a >> d/${source.file()}`,
      () => `echo a > ../${source.file()}`, 'sed -i s/fixed1/x/ g', 'sed -i s/fixed1/x/ f', 'sed -i.bak s/fixed1/x/ g',
      () => `sed -n 'w ${source.file()}' g f`, () => `sort -o ${source.file()} /workspace/f`, () => `uniq /workspace/f ${source.file()}`,
      () => `find . -fprint ${source.file()}`, 'cat < g', 'cat < f', 'read x < g',
      () => `bash -c ${source.quote(`echo a > ${source.file()}`)}`, () => `sh -c ${source.quote(`cd d; echo a > ${source.file()}`)}`,
      () => `ls | cat > ${source.file()}`, () => `(echo a > ${source.file()})`,
      () => `find . -execdir bash -c ${source.quote(`echo a > ${source.file()}`)} \\;`, () => `make -C d > ${source.file()}`,
      () => `for i in 1 2; do echo a > ${source.file()}; cd d; done`, () => `echo $(echo a > ${source.file()})`,
      () => `cat <(echo a > ${source.file()})`, () => `awk 1 g > ${source.file()}`,
      () => `find d -exec sh -c ${source.quote(`echo a > ${source.file()}`)} \\;`,
      () => `env bash -c ${source.quote(`cd sub; > ${source.file()}`)}`]);
    const then = source.choose(['; ', ' && ', '\n'], [' || ', ' & ', ' | ', ' |& ', '; : ; ', '; cd d; ', ' && cd .. && ']);
    return source.choose([`${change}${then}${act()}`], [`( ${change}${then}${act()} ); ${act()}`,
      `{ ${change}; } > ${source.file()}; ${act()}`, `${act()}; ${change}; ${act()}`, `${change} > ${source.file()}; ${act()}`,
      `bash -c ${source.quote(`${change}${then}${act()}`)}; ${act()}`, `while ${act()}; do ${change}; break; done; ${act()}`,
      `${change}${then}{ ${act()}; }`, `for i in 1 2; do ${act()}; ${change}; done`]);
  }

  /** Braces, globs, tildes and substitutions give more words, or other ones, than stand there. */
  // prettier-ignore
  private multiplied(): string {
    const { source } = this;
    const words = source.one([
      () => `find . {-exec,${source.program()}} \\;`, () => `find . -{exec,name} ${source.program()} \\;`,
        () => `find . -name {a,-delete}`, () => `find {.,-delete}`, () => `find . -{delete,x}`, () => `find {d,-fprint} ${source.file()}`,
        () => `find * -name a`, () => `find d/* -print`,
      () => `sed {p,-i} f`, () => `sed -{n,i} p f`, () => `sed -n {p,f}`, () => `sed -n p {f,-i}`, () => `sed -n p *`,
        () => `sed -n p ./*`, () => `sed -n p -- *`, () => `sed {-e,1e\\ ${source.program()}} f`, () => `sed -n p -*`,
        () => `sed -n p [-]*`, () => `sed -n p ?e*`, () => `sed * f`, () => `sed -n p {-,}i f`,
      () => `sort {-o,${source.file()}} f`, () => `sort -{o,}${source.file()} f`, () => `sort *`, () => `sort f {-o${source.file()},}`,
        () => `sort -{n,o}${source.file()}`, () => `sort -o{${source.file()},x} f`, () => `sort -o ${source.file()}{,x} f`,
        () => `uniq {f,${source.file()}}`, () => `uniq f{,${source.file()}}`, () => `uniq *`, () => `uniq d/*`,
        () => `uniq {f,} ${source.file()}`, () => `uniq f $(echo a b)`,
      () => `make {-t,all}`, () => `make -{t,n} all`, () => `make --eval={x,y:=$(${source.program()})}`, () => `make *`,
        () => `make {CI=,X=}1`, () => `make -{f,C} .`,
      () => `bash -{c,x} ${source.program()}`, () => `bash {-c,${source.program()}}`, () => `bash -c {${source.program()},b}`,
        () => `bash -c {'ls;',b}${source.program()}`, () => `sh -c *`, () => `{${source.program()},a}`, () => `{ls,${source.program()}} a`,
        () => `l{s,} a`, () => `$(echo ${source.program()}) a`, () => `ls$(echo) a`, () => `""ls a`, () => `~/${source.program()}`,
        () => `./d/* a`, () => `[l]s a`, () => `*`,
      () => `env {A=1,${source.program()}}`, () => `env {A,B}=1 ${source.program()}`, () => `nice {-n,5} ${source.program()}`,
        () => `timeout {1,${source.program()}}`, () => `timeout 1{,} ${source.program()}`, () => `nice -{n,5} ${source.program()}`,
        () => `xargs {-n,1} ${source.program()}`, () => `xargs -{n1,r} ${source.program()}`, () => `xargs ${source.program()} *`,
        () => `command {-v,ls}`, () => `command -{v,p} ${source.program()}`, () => `env * ls`, () => `env $(echo A=1 ${source.program()})`,
        () => `env A=$(echo 1 ${source.program()}) ls`,
      () => `echo a > {${source.file()},x}`, () => `echo a > ${source.file()}*`, () => `echo a > *.none`, () => `echo a > g.*`,
        () => `echo a > e*y`, () => `echo a > ~/${source.file()}`, () => `echo a > $(echo ${source.file()})`,
        () => `echo a > ""${source.file()}`, () => `cat < g.*`, () => `cat < {f,g}`, () => `echo a > ~+/${source.file()}`,
        () => `echo a > ~-/${source.file()}`, () => `echo a >d/{${source.file()}}`, () => `echo a > ${source.file()}{}`,
        () => `echo a > {${source.file()}`, () => `echo a > ${source.file()}#x`, () => `echo a > \\~/${source.file()}`,
        () => `echo a > '~'`, () => `echo a > =~`, () => `echo a > x:~`,
      () => `awk {1,f}`, () => `awk 1 *`, () => `awk 1 f{,=1}`, () => `awk -{v,F} x=1 1 f`, () => `awk 1 -*`, () => `awk -v {x=1,1} f`,
        () => `awk -v x={1,2} 1 f`, () => `awk 1 "-f" f`, () => `awk -f* 1`, () => `awk {-f,f}`, () => `awk 1 {-f,f}`,
      () => `printf {-v,x} a`, () => `printf -{v,-} x a`, () => `[ {-v,'a[$(${source.program()})]'} ]`,
        () => `test -{v,n} 'a[$(${source.program()})]'`, () => `set -{k,x} a`, () => `export {A,B}=1`, () => `echo {1..3}`,
        () => `echo {a..c}{1,2}`, () => `read {x,y} <f`, () => `[[ {a,b} == a ]]`, () => `for i in {1..2}; do ${source.program()}; done`,
        () => `for i in *; do sed -n p $i; done`, () => `for i in *; do sed -n p "$i"; done`, () => `for i in *; do sed -n p "./$i"; done`,
        () => `for i in *; do awk 1 "$i"; done`, () => `for i in d/*; do sort "$i"; done`,
        () => `ls | while read i; do sed -n p "$i"; done`, () => `find . -name '-*' -exec sed -n p {} \\;`,
        () => `find * -exec sed -n p {} +`, () => `find . -printf '%f\\n' | xargs -d '\\n' sed -n p`,
        () => `ls | xargs -d '\\n' -I{} sed -n p {}`, () => `find . -name '-*' -execdir sed -n p {} \\;`,
        () => `find . -execdir awk 1 {} +`, () => `find . -execdir uniq {} \\;`, () => `find . -exec uniq f {} \\;`,
        () => `find . -exec sort {} -o {} \\;`, () => `ls | xargs uniq f`, () => `xargs -a f uniq`, () => `xargs -n2 uniq`,
    ]);
    return words + source.choose([''], ['; ls', ' | cat', ' && ls', ' <f', ' 2>&1']);
  }
}
