import autocannon from 'autocannon';

/**
 * The client, in a process of its own that lives as long as the bench: `{url, connections, seconds, requests, headers}` comes as a
 * message, `{milliseconds, statuses, elapsed, processor}` goes back (`elapsed`, `processor` in seconds). A request may hold `unique`: the name
 * of a header that gets a new value each time.
 */
let uniqueValues = 0;
const run = String(process.pid);

process.on('message', async ({ url, connections, seconds, requests, headers }) => {
  const milliseconds = [];
  const statuses = {};
  // Each request in its turn, whichever connection sends it: all contenders get the same ones in the same order.
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
    ...{ url, connections, duration: seconds, timeout: 10, headers },
    requests: isPlain ? [next()] : [{ setupRequest: (request) => ({ ...request, ...next() }) }],
  });
  instance.on('response', (client, status, bytes, took) => {
    milliseconds.push(took);
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  const { errors } = await instance;
  if (errors > 0) statuses.error = errors;
  const elapsed = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(before);
  process.send({ milliseconds, statuses, elapsed, processor: (user + system) / 1e6 });
});
process.on('disconnect', () => process.exit());
