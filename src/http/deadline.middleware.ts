import type { IncomingMessage, ServerResponse } from 'node:http';
import { responseDeadline } from '../config/time-windows.js';
import { sendEnvelope, ServiceError } from '../errors/service-error.js';
import type { ApiRequest } from './api-request.js';

/**
 * Responds 503 if a request takes longer than `responseDeadline` for any reason, without the time in which the client sends
 * the body. `aborted` then makes `assertMayWrite` reject its writes, so that they cannot undo what the client has sent since.
 */
export function deadline(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const timed = request as ApiRequest;
  let left = responseDeadline - (performance.now() - timed.arrivedAt);
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const timeLimit = {
    aborted: false,
    resume: () => {
      startedAt = performance.now();
      timer ??= setTimeout(onTimeout, Math.max(0, left));
    },
    pause: () => {
      clearTimeout(timer);
      timer = undefined;
      left -= performance.now() - startedAt;
    },
  };
  const onTimeout = () => {
    timeLimit.aborted = true;
    // A request that spent most of its time in the queue indicates overload, not a slow database.
    const queued = (timed.waitedMilliseconds ?? 0) >= responseDeadline / 2;
    sendEnvelope(request, response, new ServiceError(queued ? 'overloaded' : 'databaseUnavailable'));
  };
  timed.deadline = timeLimit;
  timeLimit.resume();
  response.once('close', timeLimit.pause);
  next();
}
