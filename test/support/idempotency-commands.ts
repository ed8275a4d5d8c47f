import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import type { Response } from 'supertest';
import {
  bodies,
  type BodyName,
  expectListsToMatch,
  checkResponse,
  type Model,
  fixtureOn,
  type Real,
  type Resource,
  resources,
  routeOf,
  send,
  type Replica,
} from './idempotency-model.js';

type Command = fc.AsyncCommand<Model, Real>;

interface Create {
  readonly resource: Resource;
  readonly key: string;
  readonly body: BodyName;
  readonly side: Replica;
}

/** One step; its text is shown if a sequence fails. */
function step(
  text: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  const noted = (model: Model, real: Real) => {
    real.steps.push(text);
    return run(model, real);
  };
  return { check, run: noted, toString: () => text };
}

const show = ({ resource, key, body, side }: Create) => `${resource} ${key} «${body}» over ${side}`;

function createOnce(request: Create): Command {
  return step(`create ${show(request)}`, async (model, real) => {
    checkResponse(model, request, await answered(real, request));
  });
}

/** Two concurrent requests with one key, over both replicas. */
function createTwice(request: Create, secondBody: BodyName): Command {
  const second: Create = { ...request, body: secondBody, side: request.side === 'stable' ? 'crashable' : 'stable' };
  return step(`at once create ${show(request)} and ${show(second)}`, async (model, real) => {
    const isNew = model.uses.get(`${request.resource} ${request.key}`)?.isConfirmed !== true;
    const both = await Promise.all(
      [request, second].map(async (each) => ({ each, answer: await answered(real, each) })),
    );
    // In the order: created, replayed, rejected.
    both.sort((one, other) => rank(one.answer) - rank(other.answer));
    for (const { each, answer: response } of both) {
      // An invalid body that arrived before the record existed.
      if (isNew && each.body === 'wrong' && response.status === 400) continue;
      checkResponse(model, each, response);
    }
  });
}

/** Kills the server some time after it received a request. */
function crashOver(request: Create, milliseconds: number): Command {
  const overMortal: Create = { ...request, side: 'crashable' };
  const run = async (model: Model, real: Real) => {
    const sent = send(real, overMortal);
    await sleep(milliseconds);
    await real.crashable.crash();
    const response = await sent;
    if (response === undefined) model.markUncertain(request.resource, request.key, request.body);
    else checkResponse(model, overMortal, response);
  };
  // Two killed requests with one key would have three possible results.
  const check = (model: Readonly<Model>) => !model.isUncertain(request.resource, request.key);
  return step(`crash ${milliseconds} ms into create ${show(overMortal)}`, run, check);
}

function change(resource: 'players' | 'schedules', index: number, body: BodyName, side: Replica): Command {
  return step(`change ${resource} no. ${index} to «${body}» over ${side}`, async (model, real) => {
    const id = pick(model, resource, index);
    if (id === undefined) return;
    const { organization, team } = fixtureOn(real, side);
    const [path, fields] =
      resource === 'players'
        ? [`/teams/${team}/players/${id}`, { name: body }]
        : [`/schedules/${id}`, { teamId: team, teamTwoName: body }];
    await organization.call('patch', path).send(fields).expect(200);
    model.records[resource].set(id, body);
  });
}

function remove(resource: 'players' | 'schedules', index: number, side: Replica): Command {
  return step(`delete ${resource} no. ${index} over ${side}`, async (model, real) => {
    const id = pick(model, resource, index);
    if (id === undefined) return;
    const { organization, team } = fixtureOn(real, side);
    const path = resource === 'players' ? `/teams/${team}/players/${id}` : `/schedules/${id}?teamId=${team}`;
    await organization.call('delete', path).expect(200);
    model.records[resource].delete(id);
  });
}

/** Makes the keys this many hours older. Needs the results of killed requests to be known. */
function pass(hours: number): Command {
  const run = async (model: Model, { place, stable }: Real) => {
    const database = await stable.database();
    const earlier = { $dateSubtract: { startDate: '$idempotency.at', unit: 'hour', amount: hours } };
    for (const resource of resources) {
      const records = database.collection(routeOf(resource).collection);
      const organizationId = new ObjectId(place.organization.id);
      const stamped = { organizationId, idempotency: { $exists: true } };
      await records.updateMany(stamped, [{ $set: { 'idempotency.at': earlier } }]);
    }
    model.pass(hours);
  };
  return step(`${hours} hours pass`, run, (model) => model.uncertainUses().length === 0);
}

/** Repeats every killed request, after which all results are known, and checks the lists. */
export async function settle(model: Model, real: Real): Promise<void> {
  for (const request of model.uncertainUses())
    checkResponse(model, request, await answered(real, { ...request, side: 'stable' }));
  for (const side of sides) await expectListsToMatch(model, real, side);
}

function look(side: Replica): Command {
  const run = (model: Model, real: Real) => expectListsToMatch(model, real, side);
  return step(`look over ${side}`, run, (model) => model.uncertainUses().length === 0);
}

async function answered(real: Real, request: Create): Promise<Response> {
  const response = await send(real, request);
  if (response === undefined) throw new Error(`No answer to: create ${show(request)}`);
  return response;
}

function rank({ status, headers }: Response): number {
  if (status !== 201) return 2;
  return headers['idempotent-replayed'] === 'true' ? 1 : 0;
}

function pick(model: Model, resource: Resource, index: number): string | undefined {
  const ids = Array.from(model.records[resource].keys());
  return ids[index % ids.length];
}

const sides = ['stable', 'crashable'] as const satisfies Replica[];
const aSide = fc.constantFrom(...sides);
// Few keys and bodies, so that requests collide.
const aBody = fc.constantFrom<BodyName>('first', 'first', ...bodies);
const aCreate = fc.record({
  resource: fc.constantFrom(...resources),
  key: fc.constantFrom('a', 'b'),
  body: aBody,
  side: aSide,
});
const changeable = fc.constantFrom('players' as const, 'schedules' as const);
const aName = fc.constantFrom<BodyName>('first', 'other', 'Ünï 🏈');
const index = fc.nat(3);

/** A sequence of at most this many steps. Crashes are rare, because each one costs a server start. */
export function sequences(maxCommands: number): fc.Arbitrary<Iterable<Command>> {
  const steps = fc.oneof(
    { weight: 16, arbitrary: aCreate.map(createOnce) },
    { weight: 6, arbitrary: fc.tuple(aCreate, aBody).map(([request, body]) => createTwice(request, body)) },
    { weight: 5, arbitrary: fc.tuple(changeable, index, aName, aSide).map((all) => change(...all)) },
    { weight: 3, arbitrary: fc.tuple(changeable, index, aSide).map((all) => remove(...all)) },
    { weight: 3, arbitrary: fc.constantFrom(1, 23, 24).map(pass) },
    { weight: 2, arbitrary: aSide.map(look) },
    { weight: 3, arbitrary: fc.tuple(aCreate, fc.nat(20)).map(([request, after]) => crashOver(request, after)) },
  );
  return fc.commands([steps], { maxCommands, size: 'max' });
}
