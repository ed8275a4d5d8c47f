import { basePath } from './base-path';
import { ApiError, queryClient } from './client';
import { client } from './generated/client.gen';
import { getMe, login, logout, refresh } from './generated/sdk.gen';
import type { Login, LoginResponse } from './generated/types.gen';
import { createAtom } from '@tanstack/react-store';

interface Session {
  readonly token?: string;
  /** The user, also after the session has ended by itself. */
  readonly email?: string;
  /** Whether a request was rejected because the user must set up a second factor first. */
  readonly needsSecondFactor?: boolean;
  /** Why the last session ended, if the user did not end it. */
  readonly endedBecause?: string;
}

/** The token stays in memory. A reloaded page gets it again from a cookie that scripts cannot read. */
export const sessionAtom = createAtom<Session>({});

/** Returns the token. After a session that has ended, waits until the same user has signed in again. */
export function getToken(): string | Promise<string> {
  const { token, email } = sessionAtom.get();
  if (token !== undefined) return token;
  return new Promise((resolve) => {
    const subscription = sessionAtom.subscribe((next) => {
      if (next.token === undefined) return;
      subscription.unsubscribe();
      if (next.email === email) resolve(next.token);
    });
  });
}

client.setConfig({ baseUrl: basePath, auth: getToken });

/**
 * Starts a session.
 * @throws ApiError if the login is rejected or the user is no super admin
 */
export async function signIn(body: Login): Promise<void> {
  await start(await login({ body }));
}

/** Continues the session of the page before a reload, or of another tab, if there is one. */
export const resume = (): Promise<void> =>
  refresh()
    .then(start)
    .catch(() => undefined);

async function start({ accessToken }: LoginResponse): Promise<void> {
  const { data: user } = await getMe({ auth: accessToken });
  if (user.role !== 'superAdmin') {
    await logout({ auth: accessToken });
    throw new ApiError('Only super admins can use the console. Sign in with another account.');
  }
  // Nothing that another user has read.
  if (sessionAtom.get().email !== user.email) queryClient.clear();
  sessionAtom.set({ token: accessToken, email: user.email });
  void queryClient.invalidateQueries();
}

/** Continues the session with the token of a response that has ended the earlier ones. */
export function continueWith<Response extends LoginResponse>(response: Response): Response {
  sessionAtom.set(({ email }) => ({ token: response.accessToken, email }));
  return response;
}

/** Ends the session in all tabs. If that fails it continues, because a reload would find it again. */
export async function signOut(): Promise<void> {
  await logout().catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  });
  queryClient.clear();
  sessionAtom.set({});
}

/** The fields that routes verify. A wrong value gets 401 too, but does not end the session. */
const verifiedFields: Readonly<Record<string, string>> = {
  '/auth/password': 'currentPassword',
  '/auth/second-factor': 'password',
  '/auth/second-factor/confirm': 'code',
  '/users/{userId}/second-factor-reset': 'password',
};

client.interceptors.error.use(async (error, _response, request, { url }) => {
  const { token } = sessionAtom.get();
  // A late response to an earlier token says nothing about the current one.
  if (!(error instanceof ApiError) || request?.headers.get('Authorization') !== `Bearer ${token}`) return error;
  if (error.code === 40308) sessionAtom.set((session) => ({ ...session, needsSecondFactor: true }));
  if (error.status !== 401) return error;
  const field = error.code === 40103 ? 'code' : verifiedFields[url];
  if (field === undefined) {
    // Keeps what is on the screen for the same user.
    sessionAtom.set(({ email }) => ({
      email,
      endedBecause: 'Your session has ended. Sign in again to continue where you were.',
    }));
    return new ApiError('Your session had ended. Try again.', 401, error.traceId);
  }
  // Ends the session if it is no longer valid.
  await getMe().catch(() => undefined);
  return new ApiError(error.message, 401, error.traceId, [{ field, message: error.message }], error.code);
});
