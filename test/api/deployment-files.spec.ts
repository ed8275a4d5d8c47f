import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load, loadAll } from 'js-yaml';
import { secretNames } from '../../src/config/secret-files.js';

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
