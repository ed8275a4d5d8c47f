import { clean } from './cells.js';
import { counterNames, namesAfter } from './counters.js';
import type { TableRow } from './table.js';

export const kinds = ['players', 'schedules', 'statistics'] as const;
export type Kind = (typeof kinds)[number];

/** The usual names of the columns of each field, the best one first, as `simplify` returns them. */
const fieldNames: Record<Kind, Record<string, string>> = {
  players: {
    externalId:
      'externalid memberid membernumber member# membershipnumber membershipid memberno playerid athleteid participantid registrationid localid roleid id',
    name: 'name playername playersname fullname athletename participantname player athlete participant',
    firstName: 'firstname first playerfirstname athletefirstname participantfirstname userfirstname givenname',
    lastName: 'lastname last playerlastname athletelastname participantlastname userlastname surname familyname',
    email: 'playeremail athleteemail participantemail email emailaddress primaryemail primaryemailaddress useremail',
    position: 'position positions pos primaryposition role/position',
    jerseyNumber: 'jerseynumber jersey# jersey jerseyno number uniformnumber uniform# shirtnumber no #',
    profilePicture: 'profilepicture photo photourl picture pictureurl image imageurl',
    team: 'team teamname rosterteam currentteam',
    teamExternalId: 'teamexternalid teamid',
    division: 'divisionname division agegroup agedivision',
    role: 'rolelabel role teamrole membertype usertypeid type',
    isCoach: 'iscoach coach',
    isNonPlayer: 'isnonplayer nonplayer',
  },
  schedules: {
    externalId: 'externalid gameid eventid matchid scheduleid',
    date: 'date gamedate startdate eventdate matchdate start eventstart startdatetime datetime gamedatetime startdate/time',
    time: 'time starttime gametime eventtime matchtime kickoff eventstart start',
    end: 'enddate end eventend enddatetime enddate/time',
    endTime: 'endtime eventend finish finishtime',
    duration: 'duration durationminutes durationmin length gamelength minutes',
    timeZone: 'timezone timezoneid timezonename tz zone',
    home: 'hometeam home hometeamname team1 team1name host',
    homeId: 'hometeamexternalid hometeamid homeid hometeamuuid team1id',
    away: 'awayteam away visitor visitors visitingteam visitorteam awayteamname visitorteamname team2 team2name guest',
    awayId: 'awayteamexternalid awayteamid awayid awayteamuuid visitorteamid team2id',
    team: 'team teamname ourteam',
    opponent: 'opponent opponentname opponentteam opponent/note opponent/eventtitle vs versus',
    homeOrAway: 'homeoraway home/away homeaway h/a',
    teamOneIsHome: 'team1ishome',
    homeScore: 'homescore hometeamscore homepoints homepts hometeampoints hometeampts homegoals homefinal team1score',
    awayScore:
      'awayscore awayteamscore awaypoints awaypts awayteampoints awayteampts awaygoals awayfinal visitorscore visitorsscore visitorteamscore visitingscore visitingteamscore visitorpoints visitorpts guestscore guestteamscore guestpoints guestpts team2score',
    teamScore: 'teamscore ourscore score teampoints teampts pointsfor',
    opponentScore: 'opponentscore oppscore theirscore opponentpoints opponentpts pointsagainst',
    status: 'status gamestatus eventstatus',
    type: 'eventtype gametype practiceorgame type eventtypeid',
    location: 'location locationname venue venuename facility eventlocation site resource',
    surface: 'surfacename surface field fieldname subvenue sublocation court field#',
    title: 'subject title summary eventtitle eventname eventdescription',
    division: 'divisionname division agegroup',
  },
  statistics: {
    externalId: 'externalid memberid playerid athleteid member#',
    jerseyNumber: 'jerseynumber jersey jersey# number uniformnumber no #',
    name: 'player name playername athlete fullname',
    team: 'team teamname club',
  },
};

/** Returns the fields that columns of a kind of file can have. */
export function fieldsOf(kind: Kind): string[] {
  return [...Object.keys(fieldNames[kind]), ...(kind === 'statistics' ? new Set(counterNames.values()) : [])];
}

/** The columns of a JSON file: the field of each, `null` if it is not imported. Numbers name the columns of a file without a header. */
export type ColumnMap = Readonly<Record<string, string | null>>;

/** What was understood of the header of a file. */
export interface Columns {
  /** The line of the header; 0 if the file has none. */
  line: number;
  names: string[];
  /** The column of each field. A statistics column can be of two counters, as `C/ATT` is. */
  indexes: ReadonlyMap<string, number>;
  ignored: string[];
}

/** Returns the name of a column without case and decoration. */
export function simplify(name: string): string {
  return clean(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}#/%+&]/gu, '');
}

/**
 * Finds the header among the first rows of a file: the one with the most known names, or that of the map.
 *
 * @throws Error if there is none, or the map names an unknown field.
 */
export function findColumns(kind: Kind, rows: readonly TableRow[], map: ColumnMap = {}): Columns {
  const known = kinds.flatMap((each) => Object.keys(fieldNames[each]));
  for (const field of Object.values(map))
    if (field !== null && !known.includes(field) && !/^\w+\.\w+(\/\w+\.\w+)*$/.test(field))
      throw new Error(`The map names the field "${field}". Known fields: ${[...new Set(known)].join(', ')}.`);
  const isNumbered = Object.keys(map).length > 0 && Object.keys(map).every((name) => /^\d+$/.test(name));
  const numbers = (rows[0]?.cells ?? []).map((_, index) => String(index + 1));
  let best: Columns | undefined;
  for (const row of isNumbered ? [{ line: 0, cells: numbers }] : rows) {
    const columns = readHeader(kind, row, map);
    if (columns.indexes.size > (best?.indexes.size ?? 0)) best = columns;
  }
  if (best) return best;
  throw new Error('The file has no header with a known name. Name its columns with --map.');
}

function readHeader(kind: Kind, { line, cells }: TableRow, map: ColumnMap): Columns {
  const names = cells.map(clean);
  const keys = names.map(simplify);
  const indexes = new Map<string, number>();
  const mapped = new Map(Object.entries(map).map(([name, field]) => [simplify(name), field]));
  const isUsed = (index: number) => [...indexes.values()].includes(index) || mapped.has(keys[index] ?? '');
  for (const [key, field] of mapped) {
    const isOfKind = field !== null && (field in fieldNames[kind] || (kind === 'statistics' && field.includes('.')));
    if (isOfKind && keys.includes(key)) indexes.set(field, keys.indexOf(key));
  }
  for (const [field, known] of Object.entries(fieldNames[kind])) {
    const free = known.split(' ').map((name) => keys.findIndex((key, index) => key === name && !isUsed(index)));
    const index = free.find((each) => each >= 0);
    if (index !== undefined && !indexes.has(field)) indexes.set(field, index);
  }
  if (kind === 'statistics') addCounters(indexes, keys, isUsed);
  dropAddressOfParents(indexes, keys, [...mapped.values()]);
  const used = new Set(indexes.values());
  const ignored = names.filter((name, index) => name !== '' && !used.has(index) && name !== reasonColumn);
  return { line, names, indexes, ignored };
}

/** Adds the counters in the order of the columns, because `TD` means that of the columns before it. */
function addCounters(indexes: Map<string, number>, keys: string[], isUsed: (index: number) => boolean): void {
  const fieldAt = new Map([...indexes].map(([field, index]) => [index, field]));
  let names: ReadonlyMap<string, string> | undefined;
  for (const [index, key] of keys.entries()) {
    // `Att` before `Comp` is of passes, too.
    const isPass = key.startsWith('att') && counterNames.get(keys[index + 1] ?? '') === 'qb.completions';
    const named = (isPass ? namesAfter('qb.') : names)?.get(key) ?? counterNames.get(key);
    const field = isUsed(index) ? fieldAt.get(index) : named;
    if (field === undefined || field.endsWith('?') || (indexes.get(field) ?? index) !== index) continue;
    indexes.set(field, index);
    names = namesAfter(field) ?? names;
  }
}

/** Columns of people who can have the address beside the player. */
const adults = /parent|guardian|mother|father|^mum|mom|dad|caregiver|household|family(?!name)|emergency|account|^p\d/;

/** An address in a file with columns of parents, but none for their addresses, is probably that of a parent. */
function dropAddressOfParents(indexes: Map<string, number>, keys: string[], mapped: (string | null)[]): void {
  const key = keys[indexes.get('email') ?? -1];
  const parents = keys.filter((each) => adults.test(each));
  const isStated = mapped.includes('email') || /^(player|athlete|participant)/.test(key ?? '');
  if (!isStated && parents.length > 0 && !parents.some((each) => /^(?!emergency).*mail/.test(each)))
    indexes.delete('email');
}

/** The column with which failed rows are written; it is ignored when they are sent again. */
export const reasonColumn = 'Import problem';

/** Returns sentences that say how the columns were understood. */
export function describeColumns({ line, names, indexes, ignored }: Columns): string[] {
  const understood = [...indexes].map(([field, index]) => `"${names[index] ?? ''}" → ${field}`);
  const others = ignored.map((name) => `"${name}"`).join(', ');
  return [
    ...(line > 1 ? [`The header is in line ${line}; what is above it is skipped.`] : []),
    `Columns: ${understood.join(', ')}.`,
    ...(others ? [`Not imported: ${others}.`] : []),
  ];
}
