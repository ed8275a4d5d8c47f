import http from 'node:http';

/** Sends GETs over kept connections, and notes how long each took and what became of it. */
export class TimedGets {
  milliseconds = [];
  /** How often each status, or error of the connection, occurred. */
  statuses = {};

  /** @param {http.AgentOptions} connections */
  constructor(connections) {
    this.agent = new http.Agent({ keepAlive: true, ...connections });
  }

  /** Resolves when the answer is in; its time counts from `since`, by the monotonic clock. */
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
