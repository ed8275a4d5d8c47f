import type { Method } from './server.js';

/** A request of organization A; `<b.team>` names the team of organization B, `<a.team>` its own. */
export interface Trespass {
  readonly what: string;
  readonly method: Method;
  readonly path: string;
  readonly body?: object;
  readonly error: number;
}

/** When the schedules of these requests begin. */
export const start = '2027-05-01T10:00:00Z';
/** Every way to name a team, a player, a schedule or a season of another organization. */
export const trespasses: Trespass[] = [
  {
    what: 'season of a new team',
    method: 'post',
    path: '/teams',
    body: { name: 'Own', season: '<b.season>' },
    error: 40302,
  },
  { what: 'team of a list of players', method: 'get', path: '/teams/<b.team>/players', error: 40301 },
  {
    what: 'team of a new player',
    method: 'post',
    path: '/teams/<b.team>/players',
    body: { name: 'Own' },
    error: 40301,
  },
  { what: 'team and player of a reading', method: 'get', path: '/teams/<b.team>/players/<b.player>', error: 40301 },
  { what: 'team of a reading', method: 'get', path: '/teams/<b.team>/players/<a.player>', error: 40301 },
  { what: 'player of a reading', method: 'get', path: '/teams/<a.team>/players/<b.player>', error: 40403 },
  {
    what: 'team and player of a change',
    method: 'patch',
    path: '/teams/<b.team>/players/<b.player>',
    body: { name: 'Own' },
    error: 40301,
  },
  {
    what: 'team of a change',
    method: 'patch',
    path: '/teams/<b.team>/players/<a.player>',
    body: { name: 'Own' },
    error: 40301,
  },
  {
    what: 'player of a change',
    method: 'patch',
    path: '/teams/<a.team>/players/<b.player>',
    body: { name: 'Own' },
    error: 40403,
  },
  {
    what: 'player of an empty change',
    method: 'patch',
    path: '/teams/<a.team>/players/<b.player>',
    body: {},
    error: 40403,
  },
  { what: 'team and player of a deletion', method: 'delete', path: '/teams/<b.team>/players/<b.player>', error: 40301 },
  { what: 'team of a deletion', method: 'delete', path: '/teams/<b.team>/players/<a.player>', error: 40301 },
  { what: 'player of a deletion', method: 'delete', path: '/teams/<a.team>/players/<b.player>', error: 40403 },
  { what: 'team of a list of schedules', method: 'get', path: '/schedules?teamId=<b.team>', error: 40301 },
  {
    what: 'team of a list of live schedules',
    method: 'get',
    path: '/schedules?filter=live&teamId=<b.team>',
    error: 40301,
  },
  {
    what: 'team of a new schedule',
    method: 'post',
    path: '/schedules',
    body: { teamId: '<b.team>', startDate: start, teamTwoName: 'Foxes' },
    error: 40301,
  },
  {
    what: 'opponent of a new schedule',
    method: 'post',
    path: '/schedules',
    body: { teamId: '<a.team>', startDate: start, teamTwoId: '<b.team>' },
    error: 40301,
  },
  {
    what: 'opponent of a new practice',
    method: 'post',
    path: '/schedules',
    body: { teamId: '<a.team>', startDate: start, teamTwoId: '<b.team>', teamTwoName: 'Foxes', eventType: 'practice' },
    error: 40301,
  },
  { what: 'schedule of a reading', method: 'get', path: '/schedules/<b.schedule>', error: 40302 },
  {
    what: 'schedule of a change',
    method: 'patch',
    path: '/schedules/<b.schedule>',
    body: { teamId: '<a.team>', eventTitle: 'Own' },
    error: 40302,
  },
  {
    what: 'schedule of an empty change',
    method: 'patch',
    path: '/schedules/<b.schedule>',
    body: { teamId: '<a.team>' },
    error: 40302,
  },
  {
    what: 'team of a change',
    method: 'patch',
    path: '/schedules/<a.schedule>',
    body: { teamId: '<b.team>', eventTitle: 'Own' },
    error: 40301,
  },
  {
    what: 'schedule and team of a change',
    method: 'patch',
    path: '/schedules/<b.schedule>',
    body: { teamId: '<b.team>', eventTitle: 'Own' },
    error: 40301,
  },
  { what: 'schedule of a deletion', method: 'delete', path: '/schedules/<b.schedule>?teamId=<a.team>', error: 40302 },
  { what: 'team of a deletion', method: 'delete', path: '/schedules/<a.schedule>?teamId=<b.team>', error: 40301 },
  {
    what: 'schedule and team of a deletion',
    method: 'delete',
    path: '/schedules/<b.schedule>?teamId=<b.team>',
    error: 40301,
  },
  { what: 'schedule of statistics', method: 'get', path: '/schedules/<b.schedule>/player-statistics', error: 40302 },
  {
    what: 'schedule of some statistics',
    method: 'get',
    path: '/schedules/<b.schedule>/player-statistics?categories=qb',
    error: 40302,
  },
  {
    what: 'schedule of statistics of an own team',
    method: 'get',
    path: '/schedules/<b.schedule>/player-statistics?teamId=<a.team>',
    error: 40302,
  },
  {
    what: 'team of statistics',
    method: 'get',
    path: '/schedules/<a.schedule>/player-statistics?teamId=<b.team>',
    error: 40301,
  },
  {
    what: 'schedule and team of statistics',
    method: 'get',
    path: '/schedules/<b.schedule>/player-statistics?teamId=<b.team>',
    error: 40301,
  },
];
