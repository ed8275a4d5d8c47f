import { statSync } from 'node:fs';

/** The slowest test files. A file that starts late would keep one worker busy after the others have finished. */
const slowest = [
  ...['examples', 'shutdown', 'large-organization', 'client-import', 'admin-command', 'budget', 'erasure'],
  ...['changes', 'no-secrets', 'servers', 'change-feed-model', 'replicas', 'side-by-side', 'ensure-indexes'],
  ...['isolation', 'webhook-feed', 'deletions', 'client-errors', 'webhook-deliveries', 'bulk-upsert'],
  ...['history', 'sessions', 'preconditions', 'player-statistics', 'envelope', 'webhook-endpoints'],
];

/** Orders test files for Jest: the slowest first, then by their size, because a new machine has no times of earlier runs. */
export default class SlowestFirst {
  sort(tests) {
    const rankOf = (path) => slowest.findIndex((name) => path.endsWith(`/${name}.spec.ts`)) + 1 || Infinity;
    const ranked = tests.map((test) => ({ test, rank: rankOf(test.path), size: statSync(test.path).size }));
    return ranked.sort((a, b) => (a.rank === b.rank ? b.size - a.size : a.rank - b.rank)).map(({ test }) => test);
  }

  /** Called by Jest after a run. */
  cacheResults() {}
}
