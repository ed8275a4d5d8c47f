/** The fields of every line about a request; `no-secrets` compares them with the log of all operations. */
export const requestFields = ['level', 'time', 'msg', 'requestId', 'method', 'status', 'durationMs'];
/** The fields of some lines about requests. */
export const optionalRequestFields = [
  ...['route', 'apiKeyId', 'organizationId', 'userId', 'operation', 'error', 'address', 'aborted'],
];
