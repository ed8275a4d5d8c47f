import { texts } from '../texts';
import { ApiError, queryClient } from './client';
import { client } from './generated/client.gen';
import { getMe, login } from './generated/sdk.gen';
import type { Login } from './generated/types.gen';
import { createAtom } from '@tanstack/react-store';

interface Session {
  readonly token?: string;
  readonly email?: string;
  /** Why the last session ended, if the user did not end it. */
  readonly endedBecause?: string;
}

/** The token stays in memory: it is gone when the tab is closed or reloaded. */
export const sessionAtom = createAtom<Session>({});

client.setConfig({ baseUrl: '', auth: () => sessionAtom.get().token });

/** Ends the session and forgets everything that was read with its token. */
export function signOut(endedBecause?: string): void {
  queryClient.clear();
  sessionAtom.set(endedBecause === undefined ? {} : { endedBecause });
}

/**
 * Starts a session.
 * @throws ApiError if the login is rejected or the user is no super admin
 */
export async function signIn(body: Login): Promise<void> {
  const { accessToken } = await login({ body });
  const { data: user } = await getMe({ auth: accessToken });
  if (user.role !== 'superAdmin') throw new ApiError(texts.signIn.superAdminsOnly);
  sessionAtom.set({ token: accessToken, email: user.email });
}

client.interceptors.response.use((response) => {
  if (response.status === 401 && sessionAtom.get().token !== undefined) signOut(texts.signIn.sessionEnded);
  return response;
});
