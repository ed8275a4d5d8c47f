import { Text } from '@mantine/core';
import type { DeliveryAttempt } from '../api/generated/types.gen';

/** What a super admin does about the causes that the server stores, and the meaning of those that are codes. */
const causes: readonly (readonly [cause: RegExp, advice: string, meaning?: string])[] = [
  [/^(ENOTFOUND|ENODATA)$/, 'Ask the partner to check the URL.', 'The host name was not found'],
  [/^ECONNREFUSED$/, 'Ask the partner whether the receiver runs.', 'The host refused the connection'],
  [/^(ECONNRESET|EPIPE)$/, 'Ask the partner for the log of the receiver.', 'The host closed the connection'],
  [/^(ETIMEDOUT|E\w+UNREACH)$/, 'Ask the partner about the host and its firewall.', 'The host could not be reached'],
  [/^(CERT_|UNABLE_|ERR_TLS_C)|SELF_/, 'Ask the partner to renew it, with its chain.', 'The certificate is not valid'],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, 'Ask the partner to check the port and TLS.', 'There is no secure connection'],
  [/^HPE_/, 'Ask the partner to check the receiver.', 'The response is not valid HTTP'],
  [/^No response within/, 'Ask the partner to respond first, and to do the work afterwards.'],
  [/^The name servers/, 'Ask the partner to check the name servers of the host.'],
  [/^The address is not public/, 'Ask the partner for a URL with a public address.'],
  [/^/, 'Ask the partner to check the receiver.'],
];

/** What came back from an attempt, or why nothing did, with the stored cause, and what to do. */
export function Result({ attempt: { statusCode, error = 'No response' } }: { attempt: DeliveryAttempt }) {
  const [, advice = '', meaning] = causes.find(([cause]) => cause.test(error)) ?? [];
  const reason = meaning === undefined ? error : `${meaning} (${error})`;
  return (
    <Text size="xs" className="break">
      {statusCode === undefined ? `${reason}. ${advice}` : `HTTP ${statusCode}`}
    </Text>
  );
}
