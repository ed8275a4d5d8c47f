import './styles';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/client';
import { resume, sessionAtom } from './api/session';
import { useSelector } from '@tanstack/react-store';
import { SignIn, SignInAgain } from './layout/sign-in';
import { router } from './router';
import { setPasswordPath } from './super-admins/password-link';
import { SetPassword, takeToken } from './super-admins/set-password';
import { theme } from './theme';

/** Of the link with which someone sets a password, who needs no session and may have one as another user. */
const resetToken = window.location.pathname === setPasswordPath ? takeToken() : undefined;

/**
 * Shows the page of the URL, or the sign-in form at the same URL, so that signing in comes back to the page. After a session
 * that ended, the page stays below the form, with what the user has typed and secrets that are not stored yet.
 */
function Console() {
  const { token, email } = useSelector(sessionAtom);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        {resetToken !== undefined ? (
          <SetPassword token={resetToken} />
        ) : email === undefined ? (
          <SignIn />
        ) : (
          <>
            {/* The key discards everything of another user. */}
            <RouterProvider key={email} router={router} />
            {token === undefined && <SignInAgain />}
          </>
        )}
      </QueryClientProvider>
    </MantineProvider>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element');
if (resetToken === undefined) await resume();
createRoot(root).render(
  <StrictMode>
    <Console />
  </StrictMode>,
);
