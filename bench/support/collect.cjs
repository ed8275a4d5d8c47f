/** Loaded into a server that is measured: on SIGUSR2 it collects its garbage and writes to standard error what is left. */
process.on('SIGUSR2', () => {
  global.gc();
  global.gc();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write(`memory ${JSON.stringify({ heapUsed, rss })}\n`);
});
