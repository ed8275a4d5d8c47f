import http from 'node:http';
import net from 'node:net';
import { duplexPair } from 'node:stream';

/**
 * Loads the server of this process without the kernel, whose part changes with the other work on the machine: clients are
 * pairs of streams, and the database's reply to a command is the one that it once gave to a command of the same kind.
 */
const messageOpcode = 2013;
const replies = new Map();
const kinds = new Map();
const observed = new WeakSet();
let isLoading = false;
let server;

const { emit } = http.Server.prototype;
http.Server.prototype.emit = function keepServer(name, ...rest) {
  if (name === 'request') server = this;
  return emit.call(this, name, ...rest);
};

const { write } = net.Socket.prototype;
net.Socket.prototype.write = function reply(chunk, ...rest) {
  const isCommand = Buffer.isBuffer(chunk) && chunk.length > 60 && chunk.readInt32LE(12) === messageOpcode;
  // The names of the command and the collection, and the length, which differs with the filter.
  const kind = isCommand ? `${chunk.latin1Slice(26, 50)}${chunk.length}` : '';
  if (!/^(find|aggregate|insert)/.test(kind)) return write.call(this, chunk, ...rest);
  const id = chunk.readInt32LE(4);
  if (isLoading && replies.has(kind)) {
    const message = Buffer.from(replies.get(kind));
    message.writeInt32LE(id, 8);
    setImmediate(() => this.push(message));
    return true;
  }
  kinds.set(id, kind);
  if (!observed.has(this)) this.on('data', keepReply);
  observed.add(this);
  return write.call(this, chunk, ...rest);
};

function keepReply(message) {
  const kind = message.length > 16 && kinds.get(message.readInt32LE(8));
  if (kind && message.readInt32LE(0) === message.length) replies.set(kind, Buffer.from(message));
}

/** Sends windows of requests, each when the one before is answered, while `onWindow`, called before each, returns true. */
export async function load(requests, connections, windowRequests, onWindow) {
  isLoading = true;
  const clients = Array.from({ length: connections }, () => {
    const [client, socket] = duplexPair();
    server.emit('connection', Object.assign(socket, { remoteAddress: '127.0.0.1' }));
    return client;
  });
  let turn = 0;
  const exchange = (client) =>
    new Promise((resolve) => {
      client.once('data', () => setImmediate(resolve));
      client.write(requests[turn++ % requests.length]);
    });
  while (onWindow()) {
    let left = windowRequests;
    const keepSending = async (client) => {
      while (left-- > 0) await exchange(client);
    };
    await Promise.all(clients.map(keepSending));
  }
  for (const client of clients) client.destroy();
  isLoading = false;
}
