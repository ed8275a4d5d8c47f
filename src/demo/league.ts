/** The teams of the demo league and their players: jersey number, name, positions with the primary one first. */
export const demoTeams: readonly DemoTeam[] = [
  {
    name: 'Bay Hawks',
    players: [
      ['12', 'Marcus Bell', 'QB'],
      ['55', 'Priya Raman', 'C', 'RUSHER'],
      ['07', 'Aaliyah Brooks', 'WR', 'RETURNER'],
      ['81', 'Diego Fuentes', 'WR'],
      ['4', 'Hannah Lindqvist', 'SLOT', 'CB'],
      ['22', 'Tyrell Washington', 'RB'],
      ['00', 'Kenji Watanabe', 'RUSHER'],
      ['91', 'Samuel Okafor', 'RUSHER', 'DL'],
      ['44', 'Megan O’Connell', 'LB'],
      ['24', 'Andre Baptiste', 'CB'],
      ['33', 'Lucía Herrera', 'S', 'QB'],
      ['9', 'Tom Eriksen', 'P', 'K'],
    ],
  },
  {
    name: 'Harbor Foxes',
    players: [
      ['7', 'Jordan Lee', 'QB'],
      ['50', 'Grace Mbeki', 'C'],
      ['84', 'Malik Johnson', 'WR'],
      ['11', 'Sofia Rossi', 'WR', 'RETURNER'],
      ['88', 'Ben Hartmann', 'TE'],
      ['0', 'Naomi Carter', 'RB', 'SLOT'],
      ['99', 'Victor Nguyen', 'RUSHER'],
      ['52', 'Chloe Dubois', 'LB', 'RUSHER'],
      ['21', 'Isaiah Grant', 'CB'],
      ['26', 'Fatima El-Sayed', 'CB', 'WR'],
      ['31', 'Ryan Kowalski', 'S', 'P'],
    ],
  },
  {
    name: 'Valley Otters',
    players: [
      ['3', 'Camila Torres', 'QB'],
      ['64', 'Owen Gallagher', 'C', 'DL'],
      ['17', 'Darius Coleman', 'WR'],
      ['80', 'Mei-Lin Chen', 'WR'],
      ['5', 'Zoë van Dijk', 'SLOT', 'RETURNER'],
      ['28', 'Jamal Pierce', 'RB'],
      ['90', 'Erik Sørensen', 'RUSHER'],
      ['45', 'Tasha Reid', 'LB'],
      ['2', 'Noah Friedman', 'CB'],
      ['23', 'Ama Boateng', 'DB'],
      ['37', 'Luis Ortega', 'S', 'QB'],
      ['8', 'Kayla Simmons', 'P', 'SLOT'],
    ],
  },
  {
    name: 'Summit Wolves',
    players: [
      ['10', 'Elijah Turner', 'QB'],
      ['60', 'Rachel Goldberg', 'C'],
      ['1', 'Xavier Moreau', 'WR', 'RETURNER'],
      ['19', 'Jasmine Patel', 'WR'],
      ['85', 'Connor Walsh', 'TE', 'LB'],
      ['32', 'Destiny Howard', 'RB'],
      ['95', 'Mateo Silva', 'RUSHER'],
      ['42', 'Ingrid Halvorsen', 'LB'],
      ['20', 'Khalil Robinson', 'CB'],
      ['6', 'Yuki Tanaka', 'S', 'CB'],
      ['14', 'Peter Novák', 'K', 'P'],
    ],
  },
];

interface DemoTeam {
  readonly name: string;
  readonly players: readonly (readonly [jerseyNumber: string, name: string, ...positions: [string, ...string[]]])[];
}

/** A made-up address for a made-up player, under a domain that nobody has. */
export function emailOf(name: string): string {
  const plain = name.replaceAll('ø', 'o').normalize('NFD');
  const words = plain.split(' ').map((word) => word.replace(/[^A-Za-z]/g, '').toLowerCase());
  return `${words.filter((word) => word !== '').join('.')}@demo.example`;
}
