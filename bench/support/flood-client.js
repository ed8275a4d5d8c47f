import net from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A worker that floods a server over plain sockets with little CPU time. `{url, address, key, connections, perSecond,
 * seconds}` → `{milliseconds: {<status>: […]}, unsent}`. Without `perSecond` each connection sends its next request
 * after the response (closed loop); with it requests are sent when they are due, independent of responses (open loop),
 * and `unsent` counts those without a free connection.
 */
const { url, address, key, connections, perSecond, seconds } = workerData;
const { hostname, port, pathname } = new URL(url);
const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
const message = `GET ${pathname} HTTP/1.1\r\nHost: bench\r\n${authorization}\r\n`;
const milliseconds = {};
const begun = performance.now();
const ends = begun + seconds * 1_000;
const free = [];
let unsent = 0;
let underWay = 0;
let isOver = false;

const note = (status, since) => (milliseconds[status] ??= []).push(performance.now() - since);

function connect() {
  const connection = {
    socket: net.connect({ port: Number(port), host: hostname, localAddress: address }),
    read: '',
    due: 0,
  };
  connection.socket.setNoDelay(true);
  connection.socket.on('data', (chunk) => read(connection, chunk));
  connection.socket.on('error', () => undefined);
  connection.socket.once('close', () => {
    const place = free.indexOf(connection);
    if (place !== -1) free.splice(place, 1);
    if (connection.due === 0) return;
    note('cut', connection.due);
    underWay--;
  });
  return new Promise((resolve) => connection.socket.once('connect', () => resolve(connection)));
}

function send(connection, due) {
  connection.due = due;
  underWay++;
  connection.socket.write(message);
}

function read(connection, chunk) {
  if (connection.due === 0) return;
  connection.read += chunk.toString('latin1');
  const head = connection.read.indexOf('\r\n\r\n');
  if (head === -1) return;
  const length = Number(/content-length: (\d+)/i.exec(connection.read)?.[1] ?? 0);
  if (connection.read.length < head + 4 + length) return;
  note(connection.read.slice(9, 12), connection.due);
  connection.read = '';
  connection.due = 0;
  underWay--;
  if (perSecond === undefined && !isOver) send(connection, performance.now());
  else free.push(connection);
}

const all = [];
for (let made = 0; made < connections; made += 50)
  all.push(...(await Promise.all(Array.from({ length: Math.min(50, connections - made) }, connect))));
if (perSecond === undefined) {
  for (const connection of all) send(connection, performance.now());
  await new Promise((resolve) => setTimeout(resolve, ends - performance.now()));
} else {
  free.push(...all);
  const first = performance.now();
  for (let index = 0; performance.now() < ends;) {
    const due = first + (index * 1_000) / perSecond;
    if (performance.now() < due) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    index++;
    // The longest idle first, because the server closes a connection without a request after 10 s.
    const connection = free.shift();
    if (connection === undefined) unsent++;
    else send(connection, due);
    // Reads responses even if this client is late.
    if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
isOver = true;
for (const late = performance.now() + 10_000; underWay > 0 && performance.now() < late;)
  await new Promise((resolve) => setTimeout(resolve, 10));
if (underWay > 0) milliseconds['none'] = all.filter(({ due }) => due > 0).map(({ due }) => performance.now() - due);
for (const { socket } of all) socket.destroy();
parentPort.postMessage({ milliseconds, unsent });
