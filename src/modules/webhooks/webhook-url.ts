import ipaddr from 'ipaddr.js';

/**
 * Returns what is wrong with the URL of an endpoint as the end of a sentence, or undefined. Names are resolved and checked
 * when a request is sent, because their addresses can change.
 */
export function webhookUrlProblem(url: string, allowPrivateAddresses: boolean): string | undefined {
  const { protocol, username, password, hostname } = new URL(url);
  if (username !== '' || password !== '') return 'must not contain credentials';
  if (allowPrivateAddresses) return undefined;
  if (protocol !== 'https:') return 'must be an https URL';
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isPrivate = ipaddr.isValid(host)
    ? ipaddr.process(host).range() !== 'unicast'
    : /(^|\.)localhost$/.test(host) || !host.includes('.');
  return isPrivate ? 'must have a public host' : undefined;
}
