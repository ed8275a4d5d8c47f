import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { admin, createOrganization, logIn } from '../support/server.js';

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const categories = ['qb', 'offensive', 'defensive', 'punt', 'return'];

/** An organization with a key, two teams of six players, and a game with 60 rows of statistics. */
export class BenchOrganization {
  static async make(server, database) {
    const made = new BenchOrganization(server, database, await createOrganization(server));
    await made.#arrange();
    return made;
  }

  constructor(server, database, { id, apiKey }) {
    this.server = server;
    this.database = database;
    this.id = id;
    this.apiKey = apiKey;
  }

  async #arrange() {
    const { server } = this;
    const token = await logIn(server);
    const dates = { startDate: '2027-01-01T00:00:00Z', endDate: '2027-12-31T00:00:00Z' };
    const season = await admin(server, token, 'POST', '/seasons', { name: 'Bench', ...dates, organizationId: this.id });
    this.teams = [];
    const players = [];
    for (const name of ['Hawks', 'Foxes']) {
      const team = await this.send('POST', '/teams', { name, season: season._id });
      this.teams.push(team._id);
      for (let index = 0; index < 6; index++) players.push(await this.newPlayer(team._id));
    }
    const game = await this.newSchedule({ teamTwoId: this.teams[1] });
    this.game = game._id;
    const rows = players.flatMap(({ _id }) => categories.map((category) => ({ playerId: _id, category, stats: {} })));
    await admin(server, token, 'PUT', `/schedules/${this.game}/player-statistics`, { rows });
  }

  /** Sends a request and returns the response body; `this.milliseconds` is its duration. */
  send(method, path, body, headers = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const options = {
      method,
      agent,
      headers: {
        Authorization: `Bearer ${this.apiKey}`,
        ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
        ...headers,
      },
    };
    return new Promise((resolve, reject) => {
      const begun = performance.now();
      const request = http.request(new URL(`/v1/public-api${path}`, this.server.url), options, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.once('end', () => {
          this.milliseconds = performance.now() - begun;
          const read = Buffer.concat(parts).toString();
          if (response.statusCode >= 300) reject(new Error(`${method} ${path}: ${response.statusCode} ${read}`));
          else resolve(JSON.parse(read));
        });
      });
      request.once('error', reject);
      request.end(text);
    });
  }

  newSchedule(fields = {}) {
    const game = { teamId: this.teams[0], teamTwoName: 'Foxes', startDate: '2027-05-01T10:00:00Z', ...fields };
    return this.send('POST', '/schedules', game);
  }

  newPlayer(team = this.teams[0]) {
    return this.send('POST', `/teams/${team}/players`, { name: 'Jordan Lee' }, { 'idem-key': randomUUID() });
  }
}
