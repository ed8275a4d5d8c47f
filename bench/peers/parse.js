import express from 'express';
import { ParseServer } from 'parse-server';
import { rules } from './parse-rules.js';

/**
 * Parse Server as in its guide, with classes for teams, players, schedules and statistics. It logs nothing, and all
 * classes are declared. The rules of the contract are in Cloud Code.
 */
const text = { type: 'String' };
const number = { type: 'Number' };
const flag = { type: 'Boolean' };
const instant = { type: 'Date' };
const ofText = (...names) => Object.fromEntries(names.map((name) => [name, text]));
const open = { '*': true };
const forEverybody = { find: open, get: open, count: open, create: open, update: open };
const aClass = (className, fields, classLevelPermissions = forEverybody) => ({
  className,
  fields: { ...ofText('organizationId'), deletedAt: instant, revision: number, ...fields },
  classLevelPermissions,
});

const port = Number(process.env.PORT);
const parse = new ParseServer({
  databaseURI: process.env.MONGODB_URI,
  appId: 'bench',
  restAPIKey: process.env.PARSE_KEY,
  masterKey: process.env.PARSE_MASTER_KEY,
  serverURL: `http://127.0.0.1:${port}/parse`,
  silent: true,
  allowClientClassCreation: false,
  schema: {
    definitions: [
      aClass('Team', {
        ...ofText('name', 'season', 'footballType', 'ageGroup', 'gender', 'logoUrl'),
        isArchived: flag,
      }),
      aClass('Player', {
        ...ofText('teamId', 'name', 'email', 'jerseyNumber', 'profilePicture'),
        position: { type: 'Array' },
      }),
      aClass('Schedule', {
        ...ofText(
          'teamOneId',
          'teamTwoId',
          'teamTwoName',
          'eventType',
          'status',
          'eventTitle',
          'matchupFormat',
          'teamFormat',
        ),
        ...ofText('overtimeType', 'locationName', 'placeId', 'practiceNote', 'tournamentId'),
        ...{ startDate: instant, endDate: instant, duration: number, fieldSizeInYard: number },
        ...{ isTestGame: flag, isScrimmage: flag, enableYardage: flag, allowZeroYardStart: flag },
        overtimeDuration: number,
      }),
      aClass('PlayerStatistic', {
        ...ofText('scheduleId', 'category', 'teamId', 'teamName', 'playerId', 'playerName', 'jerseyNumber'),
        ...{ stats: { type: 'Object' }, derived: { type: 'Object' } },
      }),
      // Only with the master key.
      aClass('ApiKey', ofText('digest'), {}),
    ],
  },
  ...rules,
});
await parse.start();
const app = express();
app.use('/parse', parse.app);
app.listen(port, '127.0.0.1');
// Exits with its parent process.
process.once('disconnect', () => process.exit());
