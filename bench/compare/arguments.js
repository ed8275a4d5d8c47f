import { parseArgs } from 'node:util';
import { contenders } from './contenders.js';
import { operations } from './operations.js';

const usage = `npm run bench -- [--connections 8,32,128] [--rounds 3] [--seconds 2] [--warm 2] [--starts 3]
  [--only ${Object.keys(operations).join(',')}]
  [--peers ${Object.keys(contenders).slice(1).join(',')}]
A run of everything writes docs/performance.md; any other one, or one with --no-write, only prints.`;

/** Reads the command line; ends the process with the usage if it is invalid. */
export function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        connections: { type: 'string', default: '8,32,128' },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '2' },
        warm: { type: 'string', default: '2' },
        starts: { type: 'string', default: '3' },
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
    const number = (name, least, text = values[name]) => {
      const value = Number(text);
      if (!(value >= least)) throw new Error(`--${name} must be a number of at least ${least}`);
      return value;
    };
    const integer = (name, least, text) => {
      const value = number(name, least, text);
      if (!Number.isInteger(value)) throw new Error(`--${name} must be an integer`);
      return value;
    };
    return {
      connections: values.connections.split(',').map((text) => integer('connections', 1, text)),
      rounds: integer('rounds', 1),
      seconds: number('seconds', 0.1),
      warm: integer('warm', 0),
      starts: integer('starts', 0),
      names: chosen(values.only, Object.keys(operations)),
      peers: chosen(values.peers, Object.keys(contenders).slice(1)),
      write: !values['no-write'] && !values.only && !values.peers,
    };
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

function chosen(text, known) {
  if (text === undefined) return known;
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${known.join(', ')}`);
  return names;
}
