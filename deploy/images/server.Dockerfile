# API and worker, one image with two commands: `serve api` and `serve worker`.
#   docker build -t localhost/sandgate-server:1 -f deploy/images/server.Dockerfile .
# Where there is no registry, `npm run images:server` makes the same image from packages of the system.
ARG NODE=node:24-bookworm-slim
FROM ${NODE} AS build
WORKDIR /srv/sandgate
COPY . .
RUN npm ci --workspaces=false && node build/build.mjs && npm prune --omit=dev && rm -rf src test docs

FROM ${NODE}
RUN apt-get update && apt-get install -y --no-install-recommends catatonit ca-certificates e2fsprogs git \
  && rm -rf /var/lib/apt/lists/* && ln -s /srv/sandgate/bin/sandgate.mjs /usr/local/bin/sandgate
COPY --from=build /srv/sandgate /srv/sandgate
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS=--max-semi-space-size=8
WORKDIR /srv/sandgate
EXPOSE 8787
ENTRYPOINT ["/usr/bin/catatonit", "--", "node", "/srv/sandgate/bin/sandgate.mjs"]
CMD ["serve", "api"]
