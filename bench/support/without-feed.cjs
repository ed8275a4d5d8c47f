/** Loaded with `--require`: the change feed reads no change stream and writes no rows. */
const { Db } = require('mongodb');

Db.prototype.watch = () => ({
  closed: false,
  resumeToken: undefined,
  bufferedCount: () => 0,
  tryNext: () => Promise.resolve(null),
  close: () => Promise.resolve(),
});
