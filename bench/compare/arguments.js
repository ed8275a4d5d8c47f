import { parseArgs } from 'node:util';
import { contenders } from './contenders.js';
import { operations } from './operations.js';

const usage = `npm run bench -- [--rounds 4] [--seconds 2] [--warm 5] [--starts 3] [--connections 8]
  [--only ${Object.keys(operations).join(',')}]
  [--peers ${Object.keys(contenders).slice(1).join(',')}]
A run of everything writes docs/performance.md, .json and .svg; one with --only or --peers, or with --no-write, only prints.`;

/** What the command line asks for; ends the process with the usage where it cannot be understood. */
export function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string', default: '4' },
        seconds: { type: 'string', default: '2' },
        warm: { type: 'string', default: '5' },
        starts: { type: 'string', default: '3' },
        connections: { type: 'string', default: '8' },
        only: { type: 'string' },
        peers: { type: 'string' },
        'no-write': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const number = (name, least) => {
      const value = Number(values[name]);
      if (!Number.isInteger(value) || value < least) throw new Error(`--${name} must be a whole number from ${least}`);
      return value;
    };
    return {
      rounds: number('rounds', 1),
      seconds: number('seconds', 1),
      warm: number('warm', 0),
      starts: number('starts', 0),
      connections: number('connections', 1),
      names: chosen(values.only, Object.keys(operations)),
      peers: chosen(values.peers, Object.keys(contenders).slice(1)),
      write: values.only === undefined && values.peers === undefined && !values['no-write'],
    };
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

function chosen(text, known) {
  if (text === undefined) return known;
  const names = text.split(',').filter((name) => name !== '');
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined) throw new Error(`${strange} is none of ${known.join(', ')}`);
  return names;
}
