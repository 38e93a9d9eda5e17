# The image of every sandbox on a container engine. Sandgate's runner, its Node and the programs of harnesses are mounted into it.
#   docker build -t localhost/sandgate-sandbox:1 -f deploy/images/base.Dockerfile deploy/images
# Where there is no registry, `npm run images` makes the same image from packages of the system.
ARG ROOTFS=debian:bookworm-slim
FROM ${ROOTFS}
COPY packages.txt prepare.sh /tmp/
RUN if ! xargs dpkg -s < /tmp/packages.txt > /dev/null 2>&1; then \
      apt-get update && xargs apt-get install -y --no-install-recommends < /tmp/packages.txt; \
    fi; \
    sh /tmp/prepare.sh && rm /tmp/packages.txt /tmp/prepare.sh
LABEL sandgate.image=1
