/** Preloaded into a measured server: on SIGUSR2 it collects garbage and writes the used memory to standard error. */
process.on('SIGUSR2', () => {
  global.gc();
  global.gc();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write(`memory ${JSON.stringify({ heapUsed, rss })}\n`);
});
