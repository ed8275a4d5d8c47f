import path from 'node:path';
import { readFileSync, statSync } from 'node:fs';
import { load, loadAll } from 'js-yaml';
import { version as ofServer } from '../../src/config/package.js';
import { secretNames } from '../../src/config/secret-files.js';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { environmentSchema } from '../../src/config/environment.js';

interface Probe {
  readonly httpGet: { readonly path: string };
  readonly periodSeconds: number;
}
interface Container {
  readonly image: string;
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly startupProbe: Probe & { readonly failureThreshold: number };
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}
interface Deployment {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly progressDeadlineSeconds: number;
    readonly selector: object;
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly [Container] };
    };
  };
}

const root = path.resolve(__dirname, '../..');
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');

const kustomization = load(textOf('deploy/kubernetes/kustomization.yaml')) as {
  readonly resources: readonly string[];
  readonly images: readonly { readonly name: string; readonly digest: string }[];
};

describe('the deployment files', () => {
  /** The longest shutdown after the stop delay, as stated in docs/operators/upgrade.md. */
  const maxStopSeconds = Number(/at most (\d+) s after the delay/.exec(textOf('docs/operators/upgrade.md'))?.[1]);
  const documents = kustomization.resources.flatMap((file) => loadAll(textOf(`deploy/kubernetes/${file}`)));
  const { progressDeadlineSeconds, template } = (documents[0] as Deployment).spec;
  const { terminationGracePeriodSeconds, containers } = template.spec;
  const { env, startupProbe, livenessProbe, readinessProbe } = containers[0];
  const unit = textOf('deploy/systemd/flag-football-public-api.service');
  const delay = Number(env.find(({ name }) => name === 'STOP_DELAY_SECONDS')?.value);
  const known = new Set([...textOf('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name));

  it('probe existing routes', () => {
    const { paths } = JSON.parse(textOf('openapi/admin.json')) as { paths: object };
    expect(livenessProbe.httpGet.path).toBe('/health/live');
    expect(readinessProbe.httpGet.path).toBe('/health/ready');
    // A server responds within seconds, but is ready only after it has built indexes.
    expect(startupProbe.httpGet.path).toBe('/health/live');
    expect(progressDeadlineSeconds).toBeGreaterThan(1_800);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/health/live', '/health/ready']));
  });

  it('allow more time to stop than the server needs, and stop sending requests first', () => {
    const [, unitDelay] = /STOP_DELAY_SECONDS=(\d+)/.exec(unit) ?? [];
    const [, timeout] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
    const compose = textOf('docker-compose.yml');
    const [, composeDelay] = /STOP_DELAY_SECONDS:-(\d+)/.exec(compose) ?? [];
    const [, composeGrace] = /STOP_GRACE_PERIOD:-(\d+)s/.exec(compose) ?? [];
    expect(maxStopSeconds).toBeGreaterThan(0);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(delay + maxStopSeconds);
    expect(Number(timeout)).toBeGreaterThan(Number(unitDelay) + maxStopSeconds);
    expect(Number(composeGrace)).toBeGreaterThan(Number(composeDelay) + maxStopSeconds);
    expect(delay).toBeGreaterThanOrEqual(3 * readinessProbe.periodSeconds);
  });

  it('limit the memory in the same way, above the threshold of the alert', () => {
    const compose = load(textOf('docker-compose.yml')) as { 'x-server': { mem_limit: string } };
    const limits = [
      containers[0].resources.limits.memory,
      compose['x-server'].mem_limit,
      /^MemoryMax=(\w+)$/m.exec(unit)?.[1],
    ];
    // Gi, g and G are all 1,024³ bytes.
    const bytes = limits.map((limit) => Number(/^(\d+)(?:Gi|g|G)$/.exec(limit ?? '')?.[1]) * 1_024 ** 3);
    expect(new Set(bytes).size).toBe(1);
    const threshold = Number(
      /process_resident_memory_bytes > ([\d.e]+)/.exec(textOf('deploy/prometheus/alerts.json'))?.[1],
    );
    expect(threshold / (bytes[0] ?? 0)).toBeGreaterThan(0.6);
    expect(threshold / (bytes[0] ?? 0)).toBeLessThan(0.85);
  });

  it('have the version in package.json, as the clients, and the commit in the image', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    expect(ofServer).toBe(version);
    expect(JSON.parse(textOf('clients/typescript/package.json'))).toMatchObject({ version });
    expect(textOf('clients/typescript/README.md')).toContain(`flag-football-client-${version}.tgz`);
    expect(textOf('clients/python/pyproject.toml')).toContain(`\nversion = "${version}"\n`);
    expect(textOf('clients/python/README.md')).toContain(`flag_football_client-${version}-py3-none-any.whl`);
    const dockerfile = textOf('Dockerfile');
    const [image] = kustomization.images;
    expect(containers[0].image).toBe(`${image?.name}:${version}`);
    expect(image?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
    expect(dockerfile).toContain('org.opencontainers.image.revision="${SOURCE_COMMIT}"');
    expect(dockerfile).toMatch(/^ARG SOURCE_COMMIT\nRUN npm run build$/m);
    expect(textOf('docker-compose.yml')).toContain("SOURCE_COMMIT: '${SOURCE_COMMIT:-unknown}'");
  });

  it('set only variables that the server reads, and no secrets', () => {
    const names = [
      ...env.map(({ name }) => name),
      ...[...unit.matchAll(/\b([A-Z_]{4,})=/g)].map(([, name = '']) => name),
    ];
    // Read by glibc.
    expect(names.filter((name) => name !== 'MALLOC_MMAP_THRESHOLD_' && !known.has(name))).toEqual([]);
    expect(names.filter((name) => /(SECRET|KEY|PASSWORD|URI|URL)(_SECONDARY)?$/.test(name))).toEqual([]);
  });

  it('give a server of Kubernetes all secrets, and those that `kubectl` creates', () => {
    // The command line creates the first super admin.
    const needed = secretNames.filter((name) => name !== 'SUPER_ADMIN_PASSWORD');
    const files = env.flatMap(({ name, value }) => (name.endsWith('_FILE') ? [[name, value]] : []));
    expect(files.sort()).toEqual(needed.map((name) => [`${name}_FILE`, `/run/secrets/api/${name}`]).sort());
    const [created = ''] = /kubectl create secret .*/.exec(textOf('docs/operators/install.md')) ?? [];
    expect([...created.matchAll(/--from-literal=(\w+)/g)].map(([, name]) => name).sort()).toEqual([...needed].sort());
  });

  it('select the pods of the Deployment in every object', () => {
    const [{ metadata, spec }, service, ingress, policy, budget, autoscaler, monitor] = documents as [
      Deployment,
      ...{ metadata: { labels?: object }; spec: Record<string, unknown> }[],
    ];
    const { labels } = spec.template.metadata;
    expect(spec.selector).toEqual({ matchLabels: labels });
    expect(service?.spec['selector']).toEqual(labels);
    expect(policy?.spec['podSelector']).toEqual({ matchLabels: labels });
    expect(budget?.spec['selector']).toEqual({ matchLabels: labels });
    expect(monitor?.spec['selector']).toEqual({ matchLabels: service?.metadata.labels });
    const { name } = metadata;
    expect(autoscaler?.spec['scaleTargetRef']).toMatchObject({ kind: 'Deployment', name });
    expect(JSON.stringify(ingress?.spec['rules'])).toContain(`"service":{"name":"${name}","port":{"name":"http"}}`);
  });
});

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ulimits?: { readonly nofile: number };
  readonly secrets?: readonly string[];
  readonly healthcheck?: {
    readonly test: readonly string[];
    readonly interval: string;
    readonly start_interval: string;
  };
}

const pinned = /:v?\d+\.\d+\.\d+(-[\w-]+)?@sha256:[0-9a-f]{64}$/;

/** Returns a service with the fields of the anchors that it merges, which the parser leaves as they are. */
function merged({ '<<': base, ...own }: Record<string, unknown>): Record<string, unknown> {
  return { ...(base === undefined ? {} : merged(base as Record<string, unknown>)), ...own };
}

const { services: found, secrets } = load(textOf('docker-compose.yml')) as {
  readonly services: Record<string, Record<string, unknown>>;
  readonly secrets: Record<string, { readonly file: string }>;
};
const services = Object.entries(found).map(([name, service]) => [name, merged(service) as unknown as Service] as const);
const servicesLike = (start: string) => services.filter(([name]) => name.startsWith(start)).map(([, each]) => each);

describe('docker-compose.yml', () => {
  it('pins every image to a version and a digest, as the image of the server does', () => {
    const images = services.map(([, { image }]) => image).filter((image) => image !== 'flag-football-public-api');
    const [, node] = /^ARG NODE_IMAGE=(.*)$/m.exec(textOf('Dockerfile')) ?? [];
    expect(images.length).toBeGreaterThan(5);
    expect([...images, node].filter((image) => !pinned.test(image ?? ''))).toEqual([]);
    // Earlier ones lack security fixes (docs/operators/install.md).
    expect(Number(/^mongo:8\.0\.(\d+)/.exec(servicesLike('mongodb-1')[0]?.image ?? '')?.[1])).toBeGreaterThanOrEqual(
      21,
    );
  });

  it('gives no container privileges, a writable image or unlimited memory', () => {
    const restricted = { cap_drop: ['ALL'], read_only: true, security_opt: ['no-new-privileges:true'] };
    for (const [name, service] of services) {
      expect([name, service]).toEqual([name, expect.objectContaining(restricted)]);
      expect([name, service.mem_limit]).toEqual([name, expect.stringMatching(/^(\$\{\w+:-)?\d+[mg]\}?$/)]);
      expect([name, service.pids_limit, service.ulimits?.nofile]).toEqual([name, expect.any(Number), 65_536]);
    }
    expect(services.filter(([, { cap_add }]) => cap_add !== undefined).map(([name]) => name)).toEqual(['front']);
    // Their images start as root to change the owner of files, for which they would need privileges.
    for (const each of [...servicesLike('mongodb-'), ...servicesLike('redis')].filter(
      ({ image }) => !image.includes('exporter'),
    ))
      expect(each.user).toMatch(/^999:/);
  });

  it('leaves MongoDB memory beside its cache', () => {
    const text = textOf('docker-compose.yml');
    const cacheGb = Number(/MONGODB_CACHE_GB:-([\d.]+)/.exec(text)?.[1]);
    const limits = [...text.matchAll(/MONGODB_MEMORY:-(\d+)m/g)].map(([, megabytes]) => Number(megabytes));
    expect(limits.length).toBeGreaterThan(0);
    for (const limit of limits) expect(limit).toBeGreaterThanOrEqual(1_024 * 2 * cacheGb + 512);
  });

  it('requires logins of MongoDB, with a user of the documented rights for the servers', () => {
    const guide = textOf('docs/operators/install.md');
    const [, documented = ''] = /db\.createRole\((.*?)\);\n/s.exec(guide) ?? [];
    expect(load(documented)).toEqual(JSON.parse(textOf('deploy/mongodb/api-role.json')));
    const members = servicesLike('mongodb-').filter(({ image }) => image.startsWith('mongo:'));
    expect(members).toHaveLength(3);
    for (const { command, secrets } of members) {
      expect(command).toContain('--keyFile=/tmp/key');
      expect(secrets).toEqual(expect.arrayContaining(['mongodb-key', 'mongodb-root', 'mongodb-api']));
    }
    for (const { secrets } of servicesLike('server-'))
      expect(secrets?.filter((name) => name.startsWith('mongodb-'))).toEqual(['mongodb-api']);
  });

  it('has a script that writes the secrets of MongoDB, and keeps those that exist', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'secrets-'));
    const target = path.join(folder, 'secrets');
    const run = () => promisify(execFile)('bash', [path.join(root, 'deploy/mongodb/create-secrets.sh'), target]);
    const contents = async () =>
      Promise.all(
        (await readdir(target)).sort().map(async (name) => [name, await readFile(path.join(target, name), 'utf8')]),
      );
    try {
      await run();
      const written = await contents();
      await run();
      expect(await contents()).toEqual(written);
      const names = Object.keys(secrets).filter((name) => name.startsWith('mongodb-'));
      expect(written.map(([name]) => name)).toEqual(names.sort());
      expect([target, path.join(target, 'mongodb-key')].map((file) => statSync(file).mode & 0o777)).toEqual([
        0o700, 0o444,
      ]);
      const { 'mongodb-key': key = '', ...uris } = Object.fromEntries(written) as Record<string, string>;
      expect(Buffer.from(key, 'base64')).toHaveLength(756);
      const members = services.map(([name]) => name).filter((name) => /^mongodb-\d$/.test(name));
      for (const uri of Object.values(uris)) {
        expect(uri).toContain(`@${members.map((name) => `${name}:27017`).join(',')}/`);
        expect(uri).toMatch(/^(MONGODB_URI=)?mongodb:\/\/\w+:[0-9a-f]{48}@.*\?replicaSet=rs0/);
      }
      const server = { NODE_ENV: 'production', JWT_SECRET: 'x'.repeat(32), MONGODB_URI: uris['mongodb-api']?.trim() };
      expect(environmentSchema.parse(server)).toMatchObject({ MONGODB_URI: server.MONGODB_URI });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  describe('checks the health of a server without starting node', () => {
    const [first] = servicesLike('server-');
    const [, inImage = ''] = /^ {2}CMD (\["bash", "-c",.*\])$/m.exec(textOf('Dockerfile')) ?? [];
    const checks = [
      ['Compose', first?.healthcheck?.test.slice(1) ?? [], '/health/ready'],
      ['the image', JSON.parse(inImage) as string[], '/health/live'],
    ] as const;

    it.each(checks)('in %s, by the status of the response', async (_, [command = '', ...options], route) => {
      let status = 200;
      const asked: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url);
        response.writeHead(status).end('{}');
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const port = String((server.address() as AddressInfo).port);
      // Compose writes $$ for $.
      const texts = options.map((text) => text.replaceAll('$$', '$').replace('127.0.0.1/3000', `127.0.0.1/${port}`));
      const check = () => promisify(execFile)(command, texts, { env: { PATH: process.env['PATH'], PORT: port } });
      try {
        expect(command).toBe('bash');
        await check();
        status = 503;
        await expect(check()).rejects.toThrow('Command failed');
        expect(asked).toEqual([route, route]);
      } finally {
        server.close();
      }
    });
  });
});
