import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './api/query-client';
import { sessionStore } from './api/session';
import { useStore } from './api/store';
import { NoticeArea } from './components/notice';
import { SignIn } from './layout/sign-in';
import { router } from './router';
import { cssVariables, theme } from './theme';

/** Shows the page of the URL, or the sign-in form on top of the same URL, so that signing in comes back to it. */
export function App() {
  const { token } = useStore(sessionStore);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        {token === undefined ? <SignIn /> : <RouterProvider router={router} />}
        <NoticeArea />
      </QueryClientProvider>
    </MantineProvider>
  );
}
