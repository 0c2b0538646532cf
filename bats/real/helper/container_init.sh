#!/bin/sh
# container_init.sh ROOT STAGE [bare]
# Run as process 1 of namespaces of its own. Makes ROOT the root folder of what looks like a container of s6-overlay,
# and becomes its s6-svscan. The machine's own folders are bound into it; what differs is made anew:
#   /command             links to the programs of s6 and execline, and a small with-contenv
#   /run                 empty but for /run/s6 and /run/service
#   /etc                 a copy, with a user hermes
#   /opt/data            the volume, owned by hermes, with the profile coder
#   /opt/hermes          the gateway of the tests as hermes' program
#   /opt/gatewarden      STAGE
# With "bare" there is no s6-overlay: nothing of it is in /run, no /command, and process 1 only waits.
set -eu
root=$1 stage=$2 bare=${3-}

# bind FROM FOLDER: every entry of FROM, at the same name in FOLDER, but for those that are there.
bind() {
  for entry in "$1"/*; do
    at=$2/${entry##*/}
    if [ -e "$at" ] || [ -h "$at" ]; then
      continue
    elif [ -h "$entry" ]; then
      cp -P "$entry" "$at"
    elif [ -d "$entry" ]; then
      mkdir "$at"
      mount --rbind "$entry" "$at"
    fi
  done
}

mount -t tmpfs -o mode=0755 container "$root"
cd "$root"
mkdir -p command run opt/data opt/hermes/.venv/bin opt/gatewarden proc old
cp -a /etc etc

mount -t tmpfs -o mode=0755 run run
if [ -z "$bare" ]; then
  mkdir -p run/s6/basedir/bin run/s6/container_environment run/service
  echo 'from the container' >run/s6/container_environment/GREETING
fi

programs=$(dirname "$(command -v s6-svscan)")
for program in "$programs"/s6-* "$(command -v execlineb)"; do
  ln -s "$program" "command/${program##*/}"
done
cat >command/with-contenv <<'WITH_CONTENV'
#!/bin/sh
exec /command/s6-envdir -- /run/s6/container_environment "$@"
WITH_CONTENV
chmod 755 command/with-contenv

# Other ids than those that stand in for a user the machine does not know.
echo 'hermes:x:10023:10024::/opt/data:/bin/sh' >>etc/passwd
echo 'hermes:x:10024:' >>etc/group
mount -t tmpfs -o mode=0700,uid=10023,gid=10024,size=4m data opt/data
mkdir -p opt/data/profiles/coder
echo 'I write code.' >opt/data/profiles/coder/SOUL.md
chown -R -h 10023:10024 opt/data/profiles
cp "$stage/test/real/gateway.sh" opt/hermes/.venv/bin/hermes

mount --rbind "$stage" opt/gatewarden
mount -t proc proc proc
bind '' "$root"
bind /opt "$root/opt"
pivot_root . old
cd /
umount -l /old
rmdir /old
if [ -n "$bare" ]; then
  rm -r /command
  exec sleep infinity
fi
exec env -i PATH=/command:/usr/bin:/bin /command/s6-svscan /run/service
