/**
 * A process that keeps connections busy, with a bounded share of one processor:
 * `node connection-flood.cjs <port> <connections> <addresses> <requests per connection>`. Each connection sends a request with an invalid key
 * again as soon as it has the response, and is opened again whenever it ends. Prints its counts once per second.
 */
const net = require('node:net');

const [port, connections, addresses, perConnection = Infinity] = process.argv.slice(2).map(Number);
/** Share of one processor. */
const maxShare = 0.5;
const request = 'GET /v1/public-api/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ffk_live_none\r\n\r\n';
const counts = { connected: 0, responses: 0, failed: 0, open: 0 };
let waiting = [];
let isPaused = false;

/** Runs now, or when the process has used less than its share. */
const whenAllowed = (run) => (isPaused ? waiting.push(run) : run());

function connect(index) {
  const localAddress = `127.0.${1 + ((index % addresses) >> 8)}.${1 + ((index % addresses) & 255)}`;
  const socket = net.connect({ port, host: '127.0.0.1', localAddress });
  let sent = 0;
  const send = () => {
    if (socket.destroyed) return;
    if (sent++ < perConnection) socket.write(request);
    else socket.destroy();
  };
  socket.on('connect', () => {
    counts.connected++;
    counts.open++;
    send();
  });
  socket.on('data', () => {
    counts.responses++;
    whenAllowed(send);
  });
  socket.on('error', () => counts.failed++);
  socket.on('close', () => {
    counts.open--;
    whenAllowed(() => setTimeout(connect, 10, index));
  });
}

let [last, spent] = [performance.now(), process.cpuUsage()];
setInterval(() => {
  const used = process.cpuUsage(spent);
  isPaused = (used.user + used.system) / 1_000 > maxShare * (performance.now() - last);
  if (isPaused) return;
  [last, spent] = [performance.now(), process.cpuUsage()];
  const runs = waiting;
  waiting = [];
  for (const run of runs) run();
}, 10);
setInterval(() => console.log(JSON.stringify(counts)), 1_000);
for (let index = 0; index < connections; index++) connect(index);
