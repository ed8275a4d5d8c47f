import { ApiError, queryClient } from './client';
import { client } from './generated/client.gen';
import { getMe, login, logout, refresh } from './generated/sdk.gen';
import type { Login, LoginResponse } from './generated/types.gen';
import { createAtom } from '@tanstack/react-store';

interface Session {
  readonly token?: string;
  readonly email?: string;
  /** Why the last session ended, if the user did not end it. */
  readonly endedBecause?: string;
}

/** The token stays in memory. A reloaded page gets it again by a cookie that no script can read. */
export const sessionAtom = createAtom<Session>({});

client.setConfig({ baseUrl: '', auth: () => sessionAtom.get().token });

/** Forgets the session and everything that was read with its token. */
function forget(endedBecause?: string): void {
  queryClient.clear();
  sessionAtom.set(endedBecause === undefined ? {} : { endedBecause });
}

/**
 * Starts a session.
 * @throws ApiError if the login is rejected or the user is no super admin
 */
export async function signIn(body: Login): Promise<void> {
  await start(await login({ body }));
}

/** Continues the session of the page before a reload, or of another tab, if there is one. */
export async function resume(): Promise<void> {
  await refresh()
    .then(start)
    .catch(() => undefined);
}

async function start({ accessToken }: LoginResponse): Promise<void> {
  const { data: user } = await getMe({ auth: accessToken });
  if (user.role !== 'superAdmin') {
    await logout({ auth: accessToken });
    throw new ApiError('Only super admins can use the console. Sign in with another account.');
  }
  sessionAtom.set({ token: accessToken, email: user.email });
}

/** Ends the session in all tabs. If that fails it continues, because a reload would find it again. */
export async function signOut(): Promise<void> {
  await logout();
  forget();
}

client.interceptors.response.use((response) => {
  if (response.status === 401 && sessionAtom.get().token !== undefined)
    forget('Your session has ended. Sign in again to continue where you were.');
  return response;
});
