import { databaseUriProblem } from './connection-options.js';

describe('the address of a database', () => {
  it.each(['mongodb://a/b', 'mongodb://u:p%2F@a,b:27017/b?replicaSet=rs0', 'mongodb+srv://u:p@a.example/b?w=majority'])(
    'is accepted with the name of the database: %s',
    (uri) => {
      expect(databaseUriProblem(uri)).toBeUndefined();
    },
  );

  it.each(['mongodb://a', 'mongodb://a/', 'mongodb://a,b:27017/?replicaSet=rs0', 'mongodb+srv://u:p@a.example?w=1'])(
    'is refused without it: %s',
    (uri) => {
      expect(databaseUriProblem(uri)).toMatch(/^must name a database/);
    },
  );
});
