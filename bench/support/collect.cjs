/**
 * Loaded into a server that is measured: on SIGUSR2 it collects its garbage and tells on standard error what is left, how late
 * its event loop was since the last time (at most, and 99 of 100 times), and what it holds open.
 */
const { monitorEventLoopDelay } = require('node:perf_hooks');

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

process.on('SIGUSR2', () => {
  const loop = { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
  global.gc();
  global.gc();
  delay.reset();
  const { heapUsed, rss } = process.memoryUsage();
  const open = process.getActiveResourcesInfo();
  const sockets = open.filter((name) => name === 'TCPSocketWrap').length;
  process.stderr.write(`memory ${JSON.stringify({ heapUsed, rss, loop, sockets, open: open.length })}\n`);
});
