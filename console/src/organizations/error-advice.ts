import type { KeyRejection, UsageOutcomeResponse } from '../api/generated/types.gen';

const sentData = 'The partner corrects what it sends. The response names the fields.';
const theirRecord =
  'The partner uses an ID that does not exist in this organization. Check that it uses the right key.';
const unknownRoute = 'The partner corrects the path or the method of its request, as in the API reference at /docs.';
const conflict = 'The partner reads the record again, then repeats the change.';

/** What a super admin does about an error, by its code. */
const adviceByCode: Readonly<Record<number, string>> = {
  40000:
    'The partner corrects its request, which is not valid JSON or HTTP. Its developer needs the message of the response.',
  40001: sentData,
  40002: 'The partner names an opponent in each game that it creates.',
  40003: 'The partner sends a valid idem-key with each create.',
  40301: 'The partner uses the ID of a team that is not in this organization. Check that it uses the right key.',
  40302: 'The partner uses a season or game of another organization. Check that it uses the right key.',
  40304: 'The partner names the team that owns the game.',
  40305:
    'If the partner should have this scope, edit the key and add it. Otherwise the partner stops making this call.',
  40306:
    'If the IP address is the partner’s, edit the key and add it. If it is not, rotate the key: someone else has it.',
  40307: 'Only a sandbox can be reset, with its test key.',
  40400: unknownRoute,
  40500: unknownRoute,
  40902: 'Nothing, if it is rare: the partner repeats the request after a second.',
  40905: 'The partner updates the record that has this external ID.',
  40906: 'The organization has ten webhook endpoints. The partner deletes one that it no longer needs.',
  40907: 'Open the webhook endpoint, which is disabled, and see why.',
  40908: 'The partner deletes the players and games of the team first, or archives it.',
  40909: 'The partner deletes a calendar link of the team that it no longer needs.',
  41001: 'The partner reads the change feed from the beginning.',
  41201: conflict,
  41300: 'The partner sends fewer rows in one request.',
  41500: 'The partner sends the header “Content-Type: application/json”.',
  42201: 'The partner uses a new idem-key for each new record.',
  42901: 'The partner sends fewer requests: in bulk, or after the pause that the response asks for.',
  42902: 'The partner stops sending requests with an invalid key or from a rejected IP address, and waits a minute.',
  50000: 'Tell the operator, with the time: the log of the server has the cause.',
  50301: 'Tell the operator if it continues: the database was unreachable. The partner repeats the request.',
  50302: 'Tell the operator if it continues: the server was overloaded. The partner repeats the request.',
};

/** Why a key was rejected, after "used 3 times". */
export const rejectionLabels: Readonly<Record<KeyRejection, string>> = {
  revoked: 'since it was revoked',
  expired: 'since it expired',
  wrongSecret: 'with a wrong secret',
  disabled: 'while its organization or the creator of that was disabled',
};

const adviceByRejection: Readonly<Record<KeyRejection, string>> = {
  revoked: 'The partner still uses the revoked key. Give it another one.',
  expired: 'Edit the key and set a later expiry, or give the partner another key.',
  wrongSecret:
    'If the IP address is the partner’s, it has an earlier or a mistyped secret: rotate the key and hand over the new one. If it is not, someone guesses in vain.',
  disabled: 'Enable the organization and its creator if the partner should have access.',
};

type Failed = Pick<UsageOutcomeResponse, 'errorCode' | 'status'> & { rejection: KeyRejection | undefined };

/** Returns what a super admin does about an error. */
export function adviceOf({ errorCode = 0, status, rejection }: Failed): string {
  if (rejection !== undefined) return adviceByRejection[rejection];
  const advice = adviceByCode[errorCode];
  if (advice !== undefined) return advice;
  if (status === 404) return theirRecord;
  if (status === 409 || status === 412) return conflict;
  if (status < 500) return sentData;
  return 'Tell the operator, with the time: the log of the server has the cause.';
}
