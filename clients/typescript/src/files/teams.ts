import type { TeamResponse } from '../generated/types.gen.js';
import { nameKey, SkippedRow, toExternalId } from './cells.js';

/** A team of the organization; one that is not created yet has no `_id`. */
export type Team = Pick<TeamResponse, 'name' | 'externalId' | 'ageGroup' | 'season'> & { _id?: string };

/** Finds teams as files name them: by ID, external ID or name. */
export class Teams {
  private readonly byKey = new Map<string, Team[]>();
  /** The teams that were named, but do not exist. */
  readonly missing = new Map<string, Team>();

  /**
   * @param season the `_id` of the season whose teams are meant; undefined for all
   * @param seasonKey the end of the external IDs of new teams; undefined if none are created
   */
  constructor(
    teams: readonly Team[],
    private readonly season?: string,
    private readonly seasonKey?: string,
  ) {
    for (const team of teams) this.add(team);
  }

  private add(team: Team): void {
    const isMeant = this.season === undefined || team.season === this.season;
    const keys = [team._id, team.externalId, isMeant ? nameOf(team.name) : undefined];
    for (const key of keys) if (key !== undefined) this.byKey.set(key, [...(this.byKey.get(key) ?? []), team]);
  }

  /**
   * Returns the team that the first known text names, rather one of the season. An unknown one is created later if that is
   * wanted; the last text is its name, one before it its external ID. Otherwise returns undefined.
   *
   * @throws Error if several teams have the name, and the division does not say which one is meant.
   */
  find(texts: readonly string[], division = ''): Team | undefined {
    const { text = '', teams: [team, other] = [] } = this.named(texts, division) ?? {};
    if (other) throw new Error(`several teams are named "${text}": use their external IDs, or add --season`);
    return team ?? this.plan(texts, division);
  }

  /** Returns whether the texts name an existing team, but not this one. */
  isAnother(team: Team, texts: readonly string[], division: string): boolean {
    const named = this.named(texts, division)?.teams.map(keyOf);
    return named !== undefined && !named.includes(keyOf(team));
  }

  private named(texts: readonly string[], division: string): { text: string; teams: Team[] } | undefined {
    const ages = agesOf(division);
    const isOf = (team: Team) => agesOf(team.ageGroup).some((age) => ages.includes(age));
    const all = texts.flatMap((text) => {
      const named = this.byKey.get(nameOf(text)) ?? [];
      // An age group such as `open` can be that of any division.
      const possible = named.filter((team) => isOf(team) || ages.length === 0 || agesOf(team.ageGroup).length === 0);
      const found = named.some(isOf) ? named.filter(isOf) : possible;
      const ways = [this.byKey.get(text), this.byKey.get(toExternalId(text)), found];
      return ways.flatMap((teams = []) => (teams.length > 0 ? [{ text, teams }] : []));
    });
    return all.find(({ teams }) => teams.some(({ season }) => season === this.season)) ?? all[0];
  }

  /** Returns the team as `find` does. @throws Error if it does not exist; SkippedRow if no team of a game is known yet */
  require(texts: readonly string[], division: string): Team {
    const team = this.find(texts, division);
    if (team) return team;
    if (texts.length === 0) throw new Error('no team is named');
    if (texts.length > 1 && texts.every(isUndecided)) throw new SkippedRow('its teams are not known yet');
    const names = texts.map((text) => `"${text}"`).join(' or ');
    throw new Error(`no team has the name or ID ${names}: create it with --create-teams --season, or correct it`);
  }

  private plan(texts: readonly string[], division: string): Team | undefined {
    const { season, seasonKey } = this;
    const name = texts.at(-1);
    if (season === undefined || seasonKey === undefined || name === undefined || isUndecided(name)) return undefined;
    const ageGroup = agesOf(division)[0] ?? 'open';
    const generated = `${[name, ageGroup].map((each) => nameKey(each).replaceAll(' ', '-')).join('.')}@${seasonKey}`;
    const externalId = toExternalId(texts.length > 1 ? (texts[0] ?? '') : generated);
    const team = { name, externalId, season, ageGroup };
    this.missing.set(externalId, team);
    this.add(team);
    return team;
  }
}

/** Names never equal IDs, because of the space. */
function nameOf(text: string): string {
  return ` ${nameKey(text)}`;
}

function keyOf({ _id, externalId }: Team): string | undefined {
  return _id ?? externalId;
}

/** Returns whether a name stands for a team that is not known yet, such as `Winner Game 1`, `1st Seed` or `TBD Team`. */
function isUndecided(name: string): boolean {
  return /^tb[acd]\b|\b(winner|loser)\b(?!').*(\d|\bof\b|final)|(\d|final).*\b(winner|loser)$|\d(st|nd|rd|th)? (seed|place)\b|^seed #?\d/i.test(
    name,
  );
}

/** Returns the age groups of a division such as `10U Coed` or `U10 Boys`. */
function agesOf(division: string): string[] {
  return Array.from(
    division.matchAll(/\bU-?(\d\d?)\b|\b(\d\d?)U\b/gi),
    ([, after, before]) => `${after ?? before ?? ''}U`,
  );
}
