/**
 * Loaded with `--require`: SIGWINCH switches the change feed off and on. While it is off it reads no change stream and
 * writes no rows; what was written meanwhile stays out of the feed, so that an interval pays only for itself.
 */
const { Db } = require('mongodb');

let isOn = true;
process.on('SIGWINCH', () => (isOn = !isOn));

const { watch } = Db.prototype;
Db.prototype.watch = function watchWhileOn(pipeline, { batchSize, maxAwaitTimeMS, readConcern, ...start }) {
  const options = { batchSize, maxAwaitTimeMS, readConcern };
  let stream = watch.call(this, pipeline, { ...options, ...start });
  let resumeToken;
  return {
    closed: false,
    get resumeToken() {
      return (resumeToken = stream?.resumeToken ?? resumeToken);
    },
    bufferedCount: () => stream?.bufferedCount() ?? 0,
    tryNext: async () => {
      if (isOn) stream ??= watch.call(this, pipeline, options);
      else if (stream !== undefined) await stream.close().then(() => (stream = undefined));
      return (await stream?.tryNext()) ?? null;
    },
    close: () => stream?.close(),
  };
};
