import { InputValidationPipe } from '../validation/validation.pipe.js';
import { ListQuery, PageQuery } from './paging.js';

describe.each([
  ['an admin list', PageQuery],
  ['a public list', ListQuery],
])('a query of %s', (_what, metatype) => {
  const pipe = new InputValidationPipe();
  const read = (query: object) => pipe.transform(query, { type: 'query', metatype });

  it('accepts each end of a range and rejects the next number', async () => {
    for (const query of [{ page: 1 }, { page: 1_000_000 }, { limit: 1 }, { limit: 100 }])
      expect(await read(query)).toMatchObject(query);
    for (const query of [{ page: 0 }, { page: 1_000_001 }, { limit: 0 }, { limit: 101 }])
      await expect(read(query)).rejects.toThrow('must be an integer from 1 to');
  });
});
