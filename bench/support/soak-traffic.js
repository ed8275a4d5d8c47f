import { randomUUID } from 'node:crypto';
import http from 'node:http';

const base = '/v1/public-api';
const game = (teamId) => ({ teamId, teamTwoName: 'Guests', startDate: '2027-05-01T10:00:00Z' });

/** So much of the traffic has each kind, in hundredths. */
const mix = {
  ...{ teams: 20, upcoming: 20, players: 15, schedule: 10, seasons: 5 },
  ...{ createPlayer: 8, createSchedule: 7, changeSchedule: 5 },
  ...{ replay: 4, wrongKey: 2, wrongBody: 2, greedy: 2 },
};
const kinds = Object.entries(mix).flatMap(([kind, share]) => Array(share).fill(kind));

/** The mixed load of a soak: who asks what, and which answers are right. */
export class SoakTraffic {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  #milliseconds = [];
  #answers = {};
  #problems = [];
  #schedules = [];
  #created = [];
  #next = 0;

  constructor(url, { places, greedy }) {
    Object.assign(this, { url, places, greedy });
  }

  /** What came since the last time. */
  take() {
    const taken = { milliseconds: this.#milliseconds, answers: this.#answers, problems: this.#problems };
    this.#milliseconds = [];
    this.#answers = {};
    this.#problems = [];
    return taken;
  }

  /** As many requests as it takes, over so many connections. */
  async busy(connections, milliseconds) {
    const end = performance.now() + milliseconds;
    const one = async () => {
      while (performance.now() < end) await this.#one(performance.now());
    };
    await Promise.all(Array.from({ length: connections }, one));
  }

  /** So many a second, whatever the answers take, each timed from when it was due; and a new key every five seconds. */
  async steady(perSecond, milliseconds, makeKey) {
    const begun = performance.now();
    const sent = [];
    const newKeys = setInterval(() => sent.push(this.#firstSight(makeKey)), 5_000);
    for (let index = 0; ;) {
      const due = begun + (index * 1_000) / perSecond;
      if (due - begun >= milliseconds) break;
      if (performance.now() < due) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      index++;
      sent.push(this.#one(due));
      // What is answered long since need not be kept.
      if (sent.length > 5_000) await Promise.all(sent.splice(0, 2_500));
    }
    clearInterval(newKeys);
    await Promise.all(sent);
    this.#agent.destroy();
  }

  async #firstSight(makeKey) {
    const { apiKey } = await makeKey().catch((error) => {
      this.#problems.push(error.message);
      return {};
    });
    if (apiKey !== undefined)
      await this.#expect('first sight', [200], performance.now(), { key: apiKey, path: '/seasons' });
  }

  #one(due) {
    const turn = this.#next++;
    // A prime step goes through all kinds before it comes back to one.
    const kind = kinds[(turn * 37) % kinds.length];
    const place = this.places[turn % this.places.length];
    const key = place.keys[Math.floor(turn / this.places.length) % place.keys.length];
    const teamId = place.teams[turn % place.teams.length];
    return this[`_${kind}`]({ due, place, key, teamId });
  }

  _teams = ({ due, key }) => this.#expect('teams', [200], due, { key, path: '/teams' });
  _upcoming = ({ due, key }) => this.#expect('upcoming', [200], due, { key, path: '/schedules?filter=upcoming' });
  _players = ({ due, key, teamId }) => this.#expect('players', [200], due, { key, path: `/teams/${teamId}/players` });
  _seasons = ({ due, key }) => this.#expect('seasons', [200], due, { key, path: '/seasons' });
  _greedy = ({ due }) => this.#expect('greedy', [200, 429], due, { key: this.greedy, path: '/seasons' });
  _wrongBody = ({ due, key }) => this.#expect('wrong body', [400], due, { key, path: '/teams', body: { name: 7 } });

  _wrongKey({ due, key }) {
    // Too many from one address are refused for that.
    return this.#expect('wrong key', [401, 429], due, { key: `${key.slice(0, -1)}_`, path: '/teams' });
  }

  async _createSchedule({ due, key, teamId, place }) {
    const answer = await this.#expect('create', [201], due, { key, path: '/schedules', body: game(teamId) });
    if (answer.status !== 201) return;
    this.#schedules.push({ id: JSON.parse(answer.text)._id, teamId, place });
    if (this.#schedules.length > 200) this.#schedules.shift();
  }

  async _createPlayer({ due, key, teamId, place }) {
    const path = `/teams/${teamId}/players`;
    const request = { key, path, body: { name: 'Jordan Lee' }, idemKey: randomUUID() };
    const { status, text } = await this.#expect('create', [201], due, request);
    if (status === 201) this.#created.push({ request, text, place });
    if (this.#created.length > 200) this.#created.shift();
  }

  async _replay(how) {
    const created = this.#created[Math.floor(Math.random() * this.#created.length)];
    if (created === undefined) return this._teams(how);
    const { status, text } = await this.#expect('replay', [201], how.due, created.request);
    if (status === 201 && text !== created.text) this.#problems.push('a replay with another answer');
  }

  async _schedule(how) {
    const found = this.#schedules[Math.floor(Math.random() * this.#schedules.length)];
    if (found === undefined) return this._teams(how);
    const [key] = found.place.keys.slice(this.#next % found.place.keys.length);
    await this.#expect('schedule', [200], how.due, { key, path: `/schedules/${found.id}` });
  }

  async _changeSchedule(how) {
    const found = this.#schedules[Math.floor(Math.random() * this.#schedules.length)];
    if (found === undefined) return this._teams(how);
    const [key] = found.place.keys.slice(this.#next % found.place.keys.length);
    const path = `/schedules/${found.id}`;
    const body = { teamId: found.teamId, eventTitle: `Game ${this.#next}` };
    await this.#expect('change', [200], how.due, { key, path, body, method: 'PATCH' });
  }

  async #expect(kind, statuses, due, request) {
    const answer = await this.#send(request);
    this.#milliseconds.push(performance.now() - due);
    const name = `${kind} ${answer.status}`;
    this.#answers[name] = (this.#answers[name] ?? 0) + 1;
    if (!statuses.includes(answer.status)) this.#problems.push(`${name} ${answer.text.slice(0, 200)}`);
    return answer;
  }

  #send({ key, path, body, idemKey, method = body === undefined ? 'GET' : 'POST' }) {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(sent && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(sent) }),
      ...(idemKey && { 'idem-key': idemKey }),
    };
    return new Promise((resolve) => {
      const request = http.request(
        new URL(base + path, this.url),
        { agent: this.#agent, method, headers },
        (response) => {
          const chunks = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.once('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
          response.once('error', (error) => resolve({ status: error.code, text: '' }));
        },
      );
      request.once('error', (error) => resolve({ status: error.code, text: '' }));
      request.end(sent);
    });
  }
}
