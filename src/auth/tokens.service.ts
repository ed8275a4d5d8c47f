import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import type { AdminContext } from '../common/context/request-context.js';
import type { UserRecord } from '../users/user.schema.js';
import { UsersService } from '../users/users.service.js';

/** How long a login lasts, in seconds. */
export const tokenSeconds = 3_600;

/** The tokens of logged-in admins: JWTs signed with HS256 and nothing else. */
@Injectable()
export class TokensService {
  constructor(
    private readonly jwt: JwtService,
    private readonly users: UsersService,
  ) {}

  issue(user: UserRecord): Promise<string> {
    return this.jwt.signAsync({ sub: String(user._id) });
  }

  /** The user whom a token names, as they are now; null where the token or the user is no good. */
  async identify(token: string): Promise<AdminContext['user'] | null> {
    const userId = await this.subjectOf(token);
    const user = userId === null ? null : await this.users.findActive(userId);
    if (user === null) return null;
    const { name, email, role, organizationId } = user;
    return {
      id: String(user._id),
      name,
      email,
      role,
      ...(organizationId && { organizationId: String(organizationId) }),
    };
  }

  private async subjectOf(token: string): Promise<string | null> {
    try {
      const { sub } = await this.jwt.verifyAsync<{ sub?: unknown }>(token);
      return typeof sub === 'string' && /^[0-9a-f]{24}$/.test(sub) ? sub : null;
    } catch {
      return null;
    }
  }
}
