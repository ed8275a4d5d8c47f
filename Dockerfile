# Debian with glibc, for which argon2 has prebuilt binaries. The major version of Node is that of package.json. The digest
# always names the same image, for every platform: replace both to get fixes of Node and Debian.
ARG NODE_IMAGE=node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json ./clients/typescript/
COPY console/package.json ./console/
RUN npm ci --no-audit --no-fund
# The packages of the build, of which the pages contain some, such as React and Scalar.
RUN npm sbom --sbom-type=application --sbom-format=cyclonedx > build-sbom.json
COPY nest-cli.json openapi-ts.config.js tsconfig.json tsconfig.build.json ./
COPY scripts/build.js scripts/generate.js scripts/pages.js ./scripts/
COPY openapi ./openapi
COPY src ./src
COPY console ./console
COPY clients ./clients
COPY examples ./examples
COPY docs ./docs
# The image has no Git folder: docker build --build-arg SOURCE_COMMIT="$(git rev-parse HEAD)" .
ARG SOURCE_COMMIT
RUN npm run build

FROM ${NODE_IMAGE} AS modules
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients/typescript/package.json ./clients/typescript/
COPY console/package.json ./console/
# Omits the optional packages: Node, which the image has, and TypeScript, which only an unused plugin of @nestjs/swagger needs.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund
# The packages of the image with versions, licenses and checksums (CycloneDX). Nothing else may be declared, because with
# `--omit=dev` npm would also leave out what development needs, too, such as Express.
RUN rm node_modules/console node_modules/flag-football-client && npm pkg delete devDependencies optionalDependencies workspaces
RUN npm sbom --sbom-type=application --sbom-format=cyclonedx > sbom.json

FROM ${NODE_IMAGE}
ARG SOURCE_COMMIT=unknown
LABEL org.opencontainers.image.title="flag-football-public-api" \
      org.opencontainers.image.description="The public integration API for flag football" \
      org.opencontainers.image.version="1.0.0" \
      org.opencontainers.image.revision="${SOURCE_COMMIT}"
# Returns the memory of argon2 to the system (19 MiB per hash), which glibc would keep in the arenas of its threads.
ENV NODE_ENV=production MALLOC_MMAP_THRESHOLD_=1048576
WORKDIR /app
COPY --from=modules /app/node_modules ./node_modules
COPY --from=modules /app/sbom.json ./
COPY --from=build /app/build-sbom.json ./
COPY --from=build /app/dist ./dist
COPY openapi ./openapi
COPY package.json ./
# Root owns all files and the server writes none: the container can run with a read-only file system.
# The user is numeric, so that Kubernetes can verify that it is not root; the image calls it node.
USER 1000:1000
EXPOSE 3000
# Liveness, not readiness: a new container would not help if the database is unreachable.
# By bash, because starting node for each check would cost a tenth of a second of a core.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${PORT:-3000} && printf 'GET /health/live HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
# A larger young generation promotes less garbage to the old one, which V8 collects late: 25 % less memory under load.
# Node is process 1: it receives SIGTERM, stops gracefully, and starts no child processes.
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "dist/main.js"]
