import autocannon from 'autocannon';

/**
 * The client, in a process of its own: receives `{url, connections, seconds, requests, headers}` as a message and
 * returns `{milliseconds, statuses, elapsed, processor}` (`elapsed`, `processor` in seconds). A request can have
 * `unique`: the name of a header with a new value each time.
 */
let uniqueValues = 0;
const run = String(process.pid);
/** In seconds. */
const timeout = 10;

process.on('message', async ({ url, connections, seconds, requests, headers }) => {
  const milliseconds = [];
  const statuses = {};
  // Sends the requests in order over all connections, so that all contenders get the same ones in the same order.
  let turn = 0;
  const next = () => {
    const { unique, ...request } = requests[turn++ % requests.length];
    const sent = { ...request, headers: { ...headers, ...request.headers } };
    if (unique) sent.headers[unique] = `${run}-${uniqueValues++}`;
    return sent;
  };
  const isPlain = requests.length === 1 && !requests[0].unique;
  const before = process.cpuUsage();
  const begun = performance.now();
  const instance = autocannon({
    // It notices the end when it samples, each second by default. Without any response, it ends after a timeout.
    ...{ url, connections, duration: seconds + timeout, sampleInt: 100, timeout, headers },
    requests: isPlain ? [next()] : [{ setupRequest: (request) => ({ ...request, ...next() }) }],
  });
  instance.on('response', (client, status, bytes, took) => {
    milliseconds.push(took);
    statuses[status] = (statuses[status] ?? 0) + 1;
    // Not before the first response, which can take longer than a short turn on a busy machine.
    if (performance.now() - begun >= seconds * 1_000) instance.stop();
  });
  const { errors } = await instance;
  if (errors > 0) statuses.error = errors;
  const elapsed = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(before);
  process.send({ milliseconds, statuses, elapsed, processor: (user + system) / 1e6 });
});
process.on('disconnect', () => process.exit());
