/** The counters of each category, with the usual names of their columns after a colon, as `simplify` returns them. */
const counters: Record<string, string> = {
  qb: `passAttempts:passatt,passattempts,patt,paatt completions:comp,cmp,completion,passcomp,passcompletions,pacmp
    passingYards:passyds,payds,passyards,pyds passingTouchdowns:passtd,passtds,patd,ptd,passingtds
    interceptionsThrown:passint,paint,intthrown,passinginterceptions,intsthrown longestPass:passlng,passlong passingFirstDowns:pass1d
    sacksTaken:sacked sackYardsLost onePointPassAttempts onePointPassConversions twoPointPassAttempts
    twoPointPassConversions:passing2ptconversions threePointPassAttempts threePointPassConversions safetiesTaken`,
  offensive: `targets:tgt,tar,tgts receptions:rec,recs,catches,reception receivingYards:recyds,reyds,recyards
    receivingTouchdowns:rectd,rectds,retd,receivingtds longestReception:reclng,reclong drops:drop,dropped
    rushAttempts:carries,car,rush,rushes,rushatt,ruatt,rushingattempts rushingYards:rushyds,ruyds,rushyards
    rushingTouchdowns:rushtd,rushtds,rutd,rushingtds longestRush:rushlng,rushlong firstDowns:1d onePointAttempts
    onePointConversions:1pt,xp,xp1,pat twoPointAttempts twoPointConversions:2pt,xp2 threePointAttempts threePointConversions:3pt,xp3
    fumbles:fum fumblesLost:fumlost`,
  defensive: `flagPulls:fp,fps,flagpull,flags,pulls,tackles,tkl flagPullsForLoss:tfl,fpfl,flagsforloss missedFlagPulls:missedflags
    sacks:sack,sck,sk,defsacks sackYards:sackyds quarterbackHurries:hurries,qbh,hurry passBreakups:pbu,pd,passdefended,passesdefended
    interceptions:defint,defints,picks,definterceptions interceptionReturnYards:intyds interceptionTouchdowns:inttd,pick6,defintd
    longestInterceptionReturn forcedFumbles:ff fumbleRecoveries:fr fumbleReturnYards fumbleReturnTouchdowns
    safeties:saf,sfty,safety tryReturns tryReturnPoints blockedPunts`,
  punt: `punts:punt declaredPunts puntYards:puntyds longestPunt:puntlng puntsInside20:in20,inside20 touchbacks:tb blocked
    fairCatches returnYardsAllowed`,
  return: `kickReturns:kr,kickret kickReturnYards:kryds kickReturnTouchdowns:krtd longestKickReturn:krlng
    puntReturns:pr,puntret puntReturnYards:pryds puntReturnTouchdowns:prtd longestPuntReturn:prlng muffs`,
};

/** What `Yds` or `TD` means after a column of these counters. `?` can be of another category, and is not taken. */
const groups: [after: RegExp, category: string, names: string][] = [
  [
    /^qb\./,
    'qb',
    'passAttempts:att,attempts passingYards:yds,yards passingTouchdowns:td,tds interceptionsThrown:int,ints,interceptions longestPass:lng ?:sack,sacks,sck,sk',
  ],
  [
    /^offensive\.rush/,
    'offensive',
    'rushAttempts:att,attempts rushingYards:yds,yards rushingTouchdowns:td,tds longestRush:lng',
  ],
  [/^offensive\.(rec|tar)/, 'offensive', 'receivingYards:yds,yards receivingTouchdowns:td,tds longestReception:lng'],
  [/^defensive\./, 'defensive', 'interceptions:int,ints interceptionTouchdowns:td,tds'],
  [/^punt\./, 'punt', 'puntYards:yds,yards longestPunt:lng'],
  [/^return\.kick/, 'return', 'kickReturnYards:yds,yards kickReturnTouchdowns:td,tds longestKickReturn:lng'],
  [/^return\.punt/, 'return', 'puntReturnYards:yds,yards puntReturnTouchdowns:td,tds longestPuntReturn:lng'],
];

/** Returns the fields of a list by the names of their columns. */
function parseNames(category: string, list: string): [name: string, field: string][] {
  return list.split(/\s+/).flatMap((entry) => {
    const [counter = '', ...names] = entry.split(/[:,]/);
    return [counter.toLowerCase(), ...names].map((name): [string, string] => [name, `${category}.${counter}`]);
  });
}

/** The fields of the usual names of columns. Two counters in a cell are separated by `/`. */
export const counterNames: ReadonlyMap<string, string> = new Map([
  ...Object.entries(counters).flatMap(([category, list]) => parseNames(category, list)),
  ...['c/att', 'comp/att', 'cmp/att', 'c/a'].map((name): [string, string] => [name, 'qb.completions/qb.passAttempts']),
]);

const groupNames = groups.map(([after, category, list]) => ({ after, names: new Map(parseNames(category, list)) }));

/** Returns the fields of names such as `TD` after a column. */
export function namesAfter(field: string): ReadonlyMap<string, string> | undefined {
  return groupNames.find(({ after }) => after.test(field))?.names;
}
