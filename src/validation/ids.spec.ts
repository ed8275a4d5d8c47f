import { externalIdProblem } from './ids.js';

it.each(['a', '...', '.a', 'ERP.4711_x:y~z@club-7', 'x'.repeat(128)])('%s is an external ID', (value) => {
  expect(externalIdProblem(value)).toBeUndefined();
});

it.each(['', 'x'.repeat(129), 'a/b', 'a b', 'ä', 'a%', 'a\n', '$ne', 'a,b', '.', '..', 7, {}, []])(
  '%j is no external ID',
  (value) => {
    expect(externalIdProblem(value)).toEqual(expect.any(String));
  },
);
