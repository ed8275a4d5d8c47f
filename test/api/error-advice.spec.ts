import { readFileSync } from 'node:fs';
import document from '../../openapi/public.json' with { type: 'json' };

const source = readFileSync('console/src/organizations/error-advice.ts', 'utf8');

describe('the advice of the console about errors', () => {
  it('covers the public codes, except 401, whose reason has a text, and unknown records, which have one', () => {
    const codes = document.components.schemas.ErrorEnvelope.properties.error['x-error-codes'];
    const advised = [...source.matchAll(/^ {2}(\d{5}):/gm)].map(([, code]) => Number(code));
    expect(advised).toEqual(codes.filter((code) => code !== 40101 && (code < 40401 || code > 40499)));
  });
});
