import http from 'node:http';

/** Sends GET requests over kept connections and records durations and outcomes. */
export class TimedGets {
  milliseconds = [];
  /** Number of responses by status or connection error. */
  statuses = {};

  /** @param {http.AgentOptions} connections */
  constructor(connections) {
    this.agent = new http.Agent({ keepAlive: true, ...connections });
  }

  /** Resolves with the response; its duration counts from `since`, by the monotonic clock. */
  send(url, key, since = performance.now()) {
    return new Promise((resolve) => {
      const note = (outcome) => {
        this.statuses[outcome] = (this.statuses[outcome] ?? 0) + 1;
        resolve();
      };
      const headers = { Authorization: `Bearer ${key}` };
      const request = http.get(url, { agent: this.agent, headers }, (response) => {
        response.resume();
        response.once('end', () => {
          this.milliseconds.push(performance.now() - since);
          note(response.statusCode);
        });
      });
      request.once('error', (error) => note(error.code));
    });
  }

  close() {
    this.agent.destroy();
  }
}
