import { type ApiKeyScope, apiKeyScopes } from '../../../common/http/public-api.js';
import { isNetwork } from '../../../common/http/client-address.js';
import { PageQuery } from '../../../common/http/paging.js';
import { DateField, NumberField, RecordIdField, TextField, TextListField } from '../../../common/validation/fields.js';

const mostAddresses = 50;
const longestAddress = 50;
/** A week, in seconds. */
const longestGrace = 604_800;

/** A key to be made. */
export class CreateApiKey {
  @TextField({ description: 'What the key is for.', max: 120, example: 'Registration platform', required: true })
  name!: string;

  @RecordIdField({
    description: 'The one organization that the key is bound to.',
    example: '6650f1f77bcf86cd79943911',
    required: true,
  })
  organizationId!: string;

  @TextListField({
    description:
      'What the key may do; `players:*` is every scope of players. Left out: everything. Any other request is refused with 403 (`40305`).',
    example: ['teams:read', 'players:*'],
    maxItems: apiKeyScopes.length,
    omitTo: 'to allow everything',
    entryProblem: (value) =>
      apiKeyScopes.some((scope) => scope === value) ? undefined : `must be one of ${apiKeyScopes.join(', ')}`,
    items: { enum: [...apiKeyScopes] },
  })
  scopes?: ApiKeyScope[];

  @TextListField({
    description:
      'Where the key may be used from: addresses, or networks in CIDR notation, of IPv4 and IPv6. Left out: from everywhere. A request from elsewhere is refused with 403 (`40306`).',
    example: ['203.0.113.7', '2001:db8::/32'],
    maxItems: mostAddresses,
    omitTo: 'to allow every address',
    entryProblem: addressProblem,
    items: { maxLength: longestAddress },
  })
  allowedAddresses?: string[];

  @DateField({
    description: 'From when on the key is dead; in the future. Left out: never.',
    example: '2028-01-01T00:00:00Z',
  })
  expiresAt?: Date;
}

/** How a key is rotated. */
export class RotateApiKey {
  @NumberField({
    description: 'For how many seconds the old secret works beside the new one. `0`: it is dead at once.',
    minimum: 0,
    maximum: longestGrace,
    integer: true,
    example: 86_400,
    default: 0,
  })
  graceSeconds!: number;
}

/** Whose keys are listed. */
export class ListApiKeysQuery extends PageQuery {
  @RecordIdField({
    description: 'The organization whose keys are listed.',
    example: '6650f1f77bcf86cd79943911',
    required: true,
  })
  organizationId!: string;
}

function addressProblem(value: string): string | undefined {
  if (value.length > longestAddress) return `must have at most ${longestAddress} characters`;
  return isNetwork(value) ? undefined : 'must be an address or a network, such as 203.0.113.7 or 2001:db8::/32';
}
