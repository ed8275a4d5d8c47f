import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { TokenAuthentication } from '../../access/authentication.js';
import { Clock } from '../../common/clock.js';
import type { AdminContext } from '../../common/context/request-context.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { tokenGenerationOf, type UserRecord } from '../users/user.schema.js';
import { UsersService } from '../users/users.service.js';

/** How long a login lasts, in seconds. */
export const tokenSeconds = 3_600;

/** What a good token says. */
interface Claims {
  readonly userId: string;
  /** The generation of the user's tokens when it was issued; older tokens name none, which is the first one. */
  readonly generation: unknown;
}

/** The tokens of logged-in admins: JWTs signed with HS256 and nothing else. */
@Injectable()
export class TokensService implements TokenAuthentication {
  constructor(
    private readonly jwt: JwtService,
    private readonly users: UsersService,
    private readonly organizations: OrganizationsService,
    private readonly clock: Clock,
  ) {}

  /** A token of the user's present generation: it ends after its time, or with the generation. */
  issue(user: UserRecord): Promise<string> {
    return this.jwt.signAsync({ sub: String(user._id), generation: tokenGenerationOf(user), iat: this.seconds() });
  }

  /** The user whom a token names, as they are now; null where the token or the user is no good. */
  async identify(token: string): Promise<AdminContext['user'] | null> {
    const claims = this.claimsOf(token);
    const user = claims === null ? null : await this.organizations.ifActive(await this.users.findActive(claims.userId));
    return user !== null && claims?.generation === tokenGenerationOf(user) ? toAdmin(user) : null;
  }

  /**
   * The id of the user that a valid token was issued to, from the token alone: it says who is likely to call, and nothing
   * about what they may do.
   */
  recognize(token: string): string | undefined {
    return token.startsWith('eyJ') ? this.claimsOf(token)?.userId : undefined;
  }

  private claimsOf(token: string): Claims | null {
    try {
      const { sub, generation = 0 } = this.jwt.verify<{ sub?: unknown; generation?: unknown }>(token, {
        clockTimestamp: this.seconds(),
      });
      return typeof sub === 'string' && /^[0-9a-f]{24}$/.test(sub) ? { userId: sub, generation } : null;
    } catch {
      return null;
    }
  }

  /** Now, in the seconds of a token: one replica's token is as old on every other. */
  private seconds(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }
}

/** Maps a stored user to the user of an `AdminContext`. */
export function toAdmin({ _id, name, email, role, organizationId }: UserRecord): AdminContext['user'] {
  return { id: String(_id), name, email, role, ...(organizationId && { organizationId: String(organizationId) }) };
}
