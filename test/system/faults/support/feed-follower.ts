import { setTimeout as sleep } from 'node:timers/promises';
import { FeedMirror } from '../../../support/feed.js';
import { TestOrganization } from '../../../support/organization.js';
import { RunningServer } from '../../../support/server.js';
import type { Target } from './under-load.js';

const pauseMilliseconds = 100;

/**
 * Starts a partner who copies the organization by following the change feed on each server in turn.
 * @returns a function that waits until the copy equals the stored records, and throws if it does not or has gone back
 */
export async function followFeed({ bases, partner, database }: Target): Promise<() => Promise<void>> {
  // The certificate of the proxy is self-signed.
  const urls = bases.filter((base) => base.startsWith('http:'));
  const servers = await Promise.all(urls.map((url) => RunningServer.at(url, '')));
  const creator = { _id: '', name: '', email: '', password: '' };
  const key = { id: '', apiKey: partner.apiKey, keyPrefix: '' };
  const organizations = servers.map((server) => new TestOrganization(server, partner.organizationId, creator, key));
  const [first] = organizations;
  if (first === undefined) return () => Promise.resolve();
  const mirror = new FeedMirror(first);
  let isStopping = false;
  const follow = async () => {
    for (let turn = 0; !isStopping; turn++) {
      // A server that was killed is not reachable.
      await mirror.follow(organizations[turn % organizations.length]).catch(() => undefined);
      await sleep(pauseMilliseconds);
    }
  };
  const following = follow();
  return async () => {
    isStopping = true;
    await following;
    await mirror.followUntilEqual(database);
    expect(mirror.regressions).toEqual([]);
  };
}
