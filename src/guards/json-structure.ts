const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const maxLevels = 32;

/**
 * Returns what is wrong with the structure of a JSON text as the end of a sentence, or undefined. Reads its bytes
 * before it is parsed, because 1 KB of gzip can become hundreds of thousands of values. Ignores the syntax.
 */
export function structureProblem(json: Uint8Array, maxValues: number): string | undefined {
  let values = 1;
  let level = 0;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (byte === quote) index = endOfText(json, index + 1);
    else if (byte === closeList || byte === closeObject) level--;
    else if (byte === comma) values++;
    else if (byte === openList || byte === openObject) {
      values++;
      if (++level > maxLevels) return `is nested deeper than ${maxLevels} levels`;
    }
    if (values > maxValues) return `has more than ${maxValues} values`;
  }
  return undefined;
}

/** Returns the index of the quote that ends a string. */
function endOfText(json: Uint8Array, start: number): number {
  let index = start;
  while (index < json.length && json[index] !== quote) index += json[index] === backslash ? 2 : 1;
  return index;
}
