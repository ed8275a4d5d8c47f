import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../config/clock.js';
import { Configuration } from '../../config/configuration.js';
import type { AdminContext } from '../../access/request-context.js';
import { ServiceError } from '../../errors/service-error.js';
import { isRecordId } from '../../validation/fields.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { hasSecondFactor } from '../users/user.rules.js';
import { tokenLifetimeSeconds, type UserRecord } from '../users/user.schema.js';
import { UsersRepository } from '../users/users.repository.js';
import type { LoginResponse } from './auth.dto.js';

/** Issues and verifies the tokens of logged-in admins: JWTs signed with HS256. */
@Injectable()
export class TokensService {
  /** Hash of a valid token → ID of its user. */
  private readonly recognized = new LRUCache<string, string>({ max: 10_000 });

  constructor(
    private readonly jwt: JwtService,
    private readonly users: UsersRepository,
    private readonly organizations: OrganizationsService,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
  ) {}

  /** Returns a token of a new session. It is valid until it expires, the session ends or the generation changes. */
  async issue({ _id, tokenGeneration: generation }: UserRecord): Promise<LoginResponse> {
    const accessToken = await this.jwt.signAsync({ sub: String(_id), generation, sid: randomUUID() });
    return { accessToken, tokenType: 'Bearer', expiresIn: tokenLifetimeSeconds };
  }

  /** Returns the current record of a token's user, or null if the token or the user is not valid. */
  async authenticate(token: string): Promise<AdminContext['user'] | null> {
    const user = await this.findUser(token);
    if (user === null) this.recognized.delete(keyOf(token));
    else this.recognized.set(keyOf(token), user.id);
    return user;
  }

  private async findUser(token: string): Promise<AdminContext['user'] | null> {
    const claims = this.parseClaims(token);
    const user = claims && (await this.users.findById(claims.userId));
    if (user === null || claims?.generation !== user.tokenGeneration) return null;
    if (user.endedSessions?.some(({ id }) => id === claims.sessionId)) return null;
    return (await this.organizations.isActiveUser(user)) ? { ...toAdmin(user), sessionId: claims.sessionId } : null;
  }

  /** @throws ServiceError 40102 if the token is not valid */
  async resume(accessToken: string): Promise<LoginResponse> {
    if ((await this.authenticate(accessToken)) === null) throw new ServiceError('invalidLogin');
    const { iat } = this.jwt.decode<{ iat: number }>(accessToken);
    const expiresIn = iat + tokenLifetimeSeconds - Math.ceil(this.clock.now().getTime() / 1_000);
    return { accessToken, tokenType: 'Bearer', expiresIn };
  }

  /** Returns the user ID of a token that this process authenticated before. It does not authenticate. */
  peekCaller(token: string): string | undefined {
    return token.startsWith('eyJ') ? this.recognized.get(keyOf(token)) : undefined;
  }

  /** Returns the user, the user's token generation then, and the session, which old tokens lack: one session for all of them. */
  private parseClaims(token: string) {
    const { value, secondary = value } = this.configuration.jwtSecret;
    for (const secret of [value, secondary]) {
      try {
        const { sub, generation, sid: sessionId = '' } = this.jwt.verify<Record<string, unknown>>(token, { secret });
        return isRecordId(sub) && typeof sessionId === 'string' ? { userId: sub, generation, sessionId } : null;
      } catch {
        // Expired, or signed with the other secret.
      }
    }
    return null;
  }
}

function keyOf(token: string): string {
  return hash('sha256', token, 'base64');
}

/** Maps a stored user to the user of an `AdminContext`. */
export function toAdmin(user: UserRecord): AdminContext['user'] {
  const { _id, name, email, role, organizationId } = user;
  const identity = { id: String(_id), name, email, role, hasSecondFactor: hasSecondFactor(user) };
  return organizationId === undefined ? identity : { ...identity, organizationId: String(organizationId) };
}
