import { parseCommand } from './admin-arguments.js';

const id = '6650f1f77bcf86cd79943951';
const other = '6650F1F77BCF86CD79943911';
const E = ['--email', 'dana@example.com'];

describe('the arguments of the admin command', () => {
  it.each([
    [['create-super-admin', ...E], { name: 'create-super-admin', email: 'dana@example.com', userName: 'Super admin' }],
    [
      ['create-super-admin', '--password-file', 'F', ...E, '--name', ' Dana Reyes '],
      { name: 'create-super-admin', email: 'dana@example.com', userName: 'Dana Reyes', passwordFile: 'F' },
    ],
    [
      ['reset-password', '--email= Dana@Example.com ', '--password-file=-'],
      { name: 'reset-password', email: 'dana@example.com', passwordFile: '-' },
    ],
    [
      ['reset-password', ...E, '--password-file', '-'],
      { name: 'reset-password', email: 'dana@example.com', passwordFile: '-' },
    ],
    [['reset-second-factor', 'Dana@Example.com'], { name: 'reset-second-factor', email: 'dana@example.com' }],
    [['erase-player', id], { name: 'erase-player', playerId: id }],
    [['erase-player', id, other], { name: 'erase-player', playerId: id, organizationId: other.toLowerCase() }],
    [['export-player', other, id], { name: 'export-player', playerId: other.toLowerCase(), organizationId: id }],
    [['erase-organization', other], { name: 'erase-organization', organizationId: other.toLowerCase() }],
  ])('accept %j', (given, command) => {
    expect(parseCommand(given)).toMatchObject(command);
  });

  it.each([
    ['no command', [], 'A command is required.'],
    ['an unknown command', ['delete-user', ...E], 'Unknown command'],
    ['options before the command', [...E, 'disable-user'], 'Unknown command'],
    ['an unknown option', ['disable-user', ...E, '--force'], 'disable-user accepts only --email'],
    [
      '--name for a command without one',
      ['reset-password', ...E, '--name', 'Dana'],
      'reset-password accepts only --email',
    ],
    ['no email', ['reset-password'], '--email is required'],
    ['no address', ['reset-second-factor', '--email'], "reset-second-factor requires a user's email address"],
    ['no ID', ['erase-player'], 'erase-player requires an ID'],
    ['a malformed ID', ['erase-player', '4711'], 'erase-player requires an ID of 24 hexadecimal digits'],
    ['two IDs of organizations', ['erase-organization', id, other], 'erase-organization requires only an ID'],
    ['an option after the ID', ['erase-player', id, '--force'], 'erase-player requires an ID'],
  ])('with %s are rejected with the problem and the usage', (_what, given, why) => {
    const read = () => parseCommand(given);
    expect(read).toThrow(why);
    expect(read).toThrow(/\n\nUsage: npm run admin -- <command>/);
  });

  it.each([
    ['an invalid email', ['disable-user', '--email', 'dana'], '--email must be an email address'],
    ['a blank name', ['create-super-admin', ...E, '--name', ' '], '--name must not be blank'],
    ['a long name', ['create-super-admin', ...E, '--name', 'x'.repeat(121)], '--name must have at most 120 characters'],
  ])('with %s are rejected by the rules for new users', (_what, given, why) => {
    expect(() => parseCommand(given)).toThrow(why);
  });

  it.each([
    [['reset-password', ...E, '--password', 'hunter2hunter2']],
    [['--password=hunter2hunter2']],
    [['reset-password', ...E, 'hunter2hunter2']],
    [['reset-password', ...E, '-phunter2']],
    [['erase-player', 'hunter2hunter2']],
  ])('with a possible password in a wrong place (%j) are rejected without repeating it', (given) => {
    expect(() => parseCommand(given)).toThrow('Usage');
    expect(() => parseCommand(given)).not.toThrow(/hunter2/);
  });
});
