import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { TokenAuthentication } from '../../access/authentication.js';
import type { AdminContext } from '../../common/context/request-context.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { tokenGenerationOf, type UserRecord } from '../users/user.schema.js';
import { UsersService } from '../users/users.service.js';

export const tokenLifetimeSeconds = 3_600;

interface Claims {
  readonly userId: string;
  /** The user's token generation when the token was issued. Old tokens lack it, which means 0. */
  readonly generation: unknown;
}

/** Issues and verifies the tokens of logged-in admins: JWTs signed with HS256. */
@Injectable()
export class TokensService implements TokenAuthentication {
  constructor(
    private readonly jwt: JwtService,
    private readonly users: UsersService,
    private readonly organizations: OrganizationsService,
  ) {}

  /** Returns a token of the user's current generation. It is valid until it expires or the generation changes. */
  issue(user: UserRecord): Promise<string> {
    return this.jwt.signAsync({ sub: String(user._id), generation: tokenGenerationOf(user) });
  }

  /** Returns the current record of a token's user, or null if the token or the user is not valid. */
  async authenticate(token: string): Promise<AdminContext['user'] | null> {
    const claims = this.parseClaims(token);
    const user = claims && (await this.users.findById(claims.userId));
    if (user === null || claims?.generation !== tokenGenerationOf(user)) return null;
    return (await this.organizations.isActiveUser(user)) ? toAdmin(user) : null;
  }

  /** Returns the user ID of a token without a query. It does not authenticate: the user may be disabled. */
  peekCaller(token: string): string | undefined {
    return token.startsWith('eyJ') ? this.parseClaims(token)?.userId : undefined;
  }

  private parseClaims(token: string): Claims | null {
    try {
      const { sub, generation = 0 } = this.jwt.verify<{ sub?: unknown; generation?: unknown }>(token);
      return typeof sub === 'string' && /^[0-9a-f]{24}$/.test(sub) ? { userId: sub, generation } : null;
    } catch {
      return null;
    }
  }
}

/** Maps a stored user to the user of an `AdminContext`. */
export function toAdmin({ _id, name, email, role, organizationId }: UserRecord): AdminContext['user'] {
  return { id: String(_id), name, email, role, ...(organizationId && { organizationId: String(organizationId) }) };
}
