/**
 * The stages of a request: each is left out by functions of the compiled server that begin with another statement. A stage
 * with a dot is a part of the one above. `remember` returns the first result.
 */
const middleware = '(request, response, next) => {';
const skip = (file, start, statement = 'return true;') => [[file, start, statement]];
const pass = (file, start = middleware) => skip(file, start, 'return next();');
export const stages = {
  'connection tracking': pass('dist/http/open-connections.js', `this.track = ${middleware}`),
  'request target': skip('dist/http/request-head.js', `'request', (request, response) => {`, 'return;'),
  'metrics and usage': pass('dist/observability/metrics.js'),
  'log line': pass('dist/observability/logger.js'),
  '· its write': skip('dist/observability/logger.js', 'write(line) {', 'return;'),
  'security headers': pass('dist/http/request-head.js', 'return (_request, response, next) => {'),
  'ambiguous heads': pass('dist/http/request-head.js', 'function rejectAmbiguousHead(request, response, next) {'),
  'overload limits': ['takeTurn', 'use'].flatMap((name) =>
    pass('dist/overload/overload.middleware.js', `this.${name} = ${middleware}`),
  ),
  deadline: pass('dist/http/deadline.middleware.js', 'function deadline(request, response, next) {'),
  'routes of other paths': skip(
    'node_modules/router/index.js',
    'Router.prototype.handle = function handle (req, res, callback) {',
    `const matches = ({ route }) => !route || /^.v1.public-api.(schedules|teams)(.:\\w+)?$/.test(route.path);
     if (!this.short) this.short = { __proto__: this, stack: this.stack.filter(matches), get short() { return this; } };
     if (this.short !== this) return handle.call(this.short, req, res, callback);`,
  ),
  authentication: skip(
    'dist/guards/access.guard.js',
    'async authenticateKey(request) {',
    "return remember('caller', () => this.authenticateKey(request));",
  ),
  'rate limit': skip('node_modules/@nestjs/throttler/dist/throttler.guard.js', 'async canActivate(context) {'),
  tenant: skip('dist/guards/access.guard.js', '    canActivate(context) {'),
  'interceptors (idem-key)': skip(
    'node_modules/@nestjs/core/interceptors/interceptors-consumer.js',
    'async intercept(interceptors, args, instance, callback, next, type) {',
    'return next();',
  ),
  'the database': [
    [
      'node_modules/mongoose/lib/query.js',
      'Query.prototype.exec = async function exec(op) {',
      "return remember(this.op + ' ' + this.model.modelName, () => this.exec(op));",
    ],
    [
      'node_modules/mongoose/lib/model.js',
      'Model.insertMany = async function insertMany(arr, options) {',
      'return arr;',
    ],
  ],
  '· check of the filter': skip(
    'dist/database/plugins/tenant.js',
    'const check = (filter, { allTenants = false }) => {',
    'return;',
  ),
  '· metrics': skip('node_modules/mongoose/lib/tracing.js', 'function trace(fn, contextFactory) {', 'return fn();'),
  '· broken connections': skip(
    'dist/workarounds/broken-connections.js',
    'Connection.prototype.writeCommand = function (command, options) {',
    'return writeCommand.call(this, command, options);',
  ),
  'mapping to the response': skip(
    'dist/validation/dto.js',
    'return (record) => {',
    "return { ...remember('mapped ' + fields.length, () => jsonMapper(resource)(record)) };",
  ),
  serialization: skip(
    'node_modules/express/lib/response.js',
    'function stringify (value, replacer, spaces, escape) {',
    "return remember('json ' + value.total, () => stringify(value, replacer, spaces, escape));",
  ),
};
