const namesOfSecrets = /password|secret|hash|token|apiKey$/i;
const jsonWebToken = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/;
const passwordHash = /\$argon2/;
/** Of an API key, what follows its prefix: id, secret and checksum. */
const restOfApiKey = '[0-9A-Za-z]{50}';

/**
 * Guards the audit against our own mistakes: nothing that a change hands over may look like a secret, neither by the
 * name of a field, at whatever depth, nor by its text.
 * @param livePrefix what API keys begin with
 * @throws Error that names the place and does not show the value
 */
export function demandNoSecret(changes: unknown, livePrefix: string): void {
  const apiKey = new RegExp(livePrefix + restOfApiKey);
  const demand = (value: unknown, place: string): void => {
    if (typeof value === 'string' && [apiKey, jsonWebToken, passwordHash].some((secret) => secret.test(value))) {
      throw secretFound(place);
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const innerPlace = `${place}.${name}`;
      if (namesOfSecrets.test(name)) throw secretFound(innerPlace);
      demand(inner, innerPlace);
    }
  };
  demand(changes, 'changes');
}

function secretFound(place: string): Error {
  return new Error(`${place} looks like a secret, which the audit must not keep`);
}
