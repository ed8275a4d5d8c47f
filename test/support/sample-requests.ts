import type { BudgetLeague } from './budget/league.js';

/** A request with which an operation succeeds, unless `status` says otherwise; everything depends on the league. */
export interface SampleRequest {
  /** IDs in the path that are not those of the league's first records. */
  readonly ids?: (league: BudgetLeague, turn: number) => Readonly<Record<string, string | undefined>>;
  readonly query?: (league: BudgetLeague) => Readonly<Record<string, string>>;
  readonly headers?: (turn: number) => Readonly<Record<string, string>>;
  /** `turn` counts its repetitions, because an unchanged record is not written. */
  readonly body?: (league: BudgetLeague, turn: number) => object;
  readonly status?: number;
}

export const startDate = '2027-05-01T10:00:00Z';
export const aSeason = { name: 'Spring 2027', startDate: '2027-03-01T00:00:00Z', endDate: '2027-06-30T00:00:00Z' };
export const anEndpoint = () => ({ url: 'https://erp.invalid/' });
export const aTeam = ({ season }: BudgetLeague) => ({ name: 'Hawks', season });
export const aNewTeamName = ({ season }: BudgetLeague, turn: number) => ({ name: `Hawks ${turn}`, season });
export const aPlayer = { name: 'Jordan Lee', position: ['QB'], jerseyNumber: '7' };
export const aNewPlayerName = (_league: BudgetLeague, turn: number) => ({ ...aPlayer, name: `Sam ${turn}` });
export const aGame = ({ team }: BudgetLeague) => ({ teamId: team, teamTwoName: 'Foxes', startDate });
export const aNewOpponent = ({ team }: BudgetLeague, turn: number) => ({
  teamId: team,
  startDate,
  teamTwoName: `Foxes ${turn}`,
});
export const ofTeam = ({ team }: BudgetLeague) => ({ teamId: team });
export const newKey = (turn: number) => ({ 'idem-key': `key-${turn}` });
export const usedKey = () => newKey(0);
/** An external ID of the league that no earlier turn has deleted. */
export const knownExternalId: NonNullable<SampleRequest['ids']> = (_league, turn) => ({
  externalId: `known-${turn + 2}`,
});
export const newExternalId: SampleRequest = { ids: (_league, turn) => ({ externalId: `new-${turn}` }), status: 201 };

type RowOf = (league: BudgetLeague, turn: number) => object;

function bulkRows(count: number, prefixOf: (turn: number) => string, rowOf: RowOf): SampleRequest {
  return {
    body: (league, turn) => ({
      rows: Array.from({ length: count }, (_, index) => ({
        ...rowOf(league, turn),
        externalId: `${prefixOf(turn)}${index}`,
      })),
    }),
  };
}

/** Bulk upserts of new and of stored records. */
export function bulk(rowOf: RowOf): Readonly<Record<string, SampleRequest>> {
  // Two teams have players and schedules, so their rows fail.
  const deletions = (_league: BudgetLeague, turn: number) => ({
    rows: [0, 1, 2].map((index) => ({ externalId: `known-${3 * turn + index}`, delete: true })),
  });
  return {
    ', 100 new rows': bulkRows(100, (turn) => `new-${turn}-`, rowOf),
    ', 12 changed rows': bulkRows(12, () => 'known-', rowOf),
    ', 3 deleted rows': { body: deletions },
  };
}

export function statistics({ players }: BudgetLeague) {
  const rows = players.slice(0, 6).map((playerId) => ({ playerId, category: 'qb', stats: { completions: 1 } }));
  return { rows };
}

/** Bulk upserts of players of all teams. */
export const rosterRows: Readonly<Record<string, SampleRequest>> = {
  ', 100 new rows': bulkRows(
    100,
    (turn) => `new-${turn}-`,
    (league, turn) => ({ ...aNewPlayerName(league, turn), teamExternalId: 'known-0', move: true }),
  ),
  // The first request creates the players, the others move them to and fro.
  ', 12 moved rows': bulkRows(
    12,
    () => 'mover-',
    ({ team, opponent }, turn) => ({ ...aPlayer, teamId: turn % 2 === 0 ? team : opponent, move: true }),
  ),
};

export const rowsOfOwnTeams = bulkRows(
  100,
  (turn) => `new-${turn}-`,
  () => ({ teamExternalId: 'known-0', teamTwoExternalId: 'known-1', startDate }),
);
