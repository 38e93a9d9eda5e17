# The image of every sandbox on a container engine. Sandgate's runner, its Node and the programs of harnesses are mounted into it.
#   docker build -t localhost/sandgate-sandbox:1 -f deploy/images/base.Dockerfile deploy/images
# Where there is no registry, `npm run images` makes the same image from packages of the system.
# ADD names more of the system's packages, such as the compilers of your repositories' languages.
ARG ROOTFS=debian:bookworm-slim
ARG NODE=node:24-bookworm-slim
FROM ${NODE} AS node
FROM ${ROOTFS}
ARG ADD=""
# Debian's npm runs on Debian's Node alone.
COPY --from=node /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
COPY packages.txt prepare.sh /tmp/
RUN if ! echo $ADD | cat /tmp/packages.txt - | xargs dpkg -s > /dev/null 2>&1; then \
      apt-get update && echo $ADD | cat /tmp/packages.txt - | xargs apt-get install -y --no-install-recommends; \
    fi; \
    sh /tmp/prepare.sh && rm /tmp/packages.txt /tmp/prepare.sh
LABEL sandgate.image=1
