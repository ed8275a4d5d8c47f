import { Anchor, AppShell, Burger, Button, Group, NavLink, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ModalsProvider } from '@mantine/modals';
import { Notifications, notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { createLink, Outlet, useLocation } from '@tanstack/react-router';
import { type SyntheticEvent, useEffect } from 'react';
import { AccountPage } from '../account/account-page';
import { sessionAtom, signOut } from '../api/session';
import { useSelector } from '@tanstack/react-store';
import { Outage } from './outage';
import { showNotice } from '../components/dialog';
import { optionsOf } from '../components/filters';
import { Page } from '../components/page';
import { Empty, Icon, LinkAnchor, LinkButton } from '../components/ui';

const RouterNavLink = createLink(NavLink<'a'>);

const pages = [
  ['/', 'overview', 'Overview'],
  ['/organizations', 'organizations', 'Organizations'],
  ['/keys', 'keys', 'Keys'],
  ['/webhooks', 'webhooks', 'Webhooks'],
  ['/failed-requests', 'warning', 'Failed requests'],
  ['/super-admins', 'superAdmins', 'Super admins'],
  ['/audit', 'audit', 'Audit log'],
] as const;

/** The frame of every page: header, navigation, and the page itself. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { email, needsSecondFactor = false } = useSelector(sessionAtom);
  const pathname = useLocation({ select: (location) => location.pathname });
  const burger = { opened: isOpen, onClick: toggle, 'aria-label': 'Navigation', 'aria-expanded': isOpen };
  // Notifications of one session do not appear in the next one.
  useEffect(() => notifications.clean, []);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
      transitionDuration={0}
    >
      <Anchor href="#main" className="skip-link" onClick={focusMain}>
        Skip to content
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger {...burger} hiddenFrom="md" size="sm" />
            <Brand />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <LinkAnchor to="/account" fz="sm" p={4} aria-label={`My account, ${email}`}>
              <Group gap={6} wrap="nowrap">
                <Icon name="account" />
                <Text inherit visibleFrom="sm">
                  {email}
                </Text>
              </Group>
            </LinkAnchor>
            <SignOut />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" visibleFrom={isOpen ? undefined : 'md'} aria-label="Navigation">
        <Stack gap={2} flex={1}>
          {(needsSecondFactor ? [] : pages).map(([to, icon, label]) => (
            <RouterNavLink
              key={to}
              to={to}
              label={label}
              leftSection={<Icon name={icon} />}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              bdrs="md"
              onClick={close}
            />
          ))}
        </Stack>
        <ColorScheme />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outage />
        {needsSecondFactor ? <AccountPage /> : <Outlet />}
      </AppShell.Main>
      {/* The key closes dialogs when the page changes. */}
      <ModalsProvider key={pathname} />
      {/* On the left, where they cover no button of a panel. */}
      <Notifications role="status" autoClose={6_000} position="bottom-left" />
    </AppShell>
  );
}

function focusMain(event: SyntheticEvent) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function SignOut() {
  const { mutate, isPending } = useMutation({
    mutationFn: signOut,
    onError: ({ message }) => showNotice(`You are still signed in. ${message}`),
  });
  return (
    <Button size="xs" variant="default" flex="none" loading={isPending} onClick={() => mutate()}>
      Sign out
    </Button>
  );
}

/** A flag on its pole, and the name of the console. */
export function Brand() {
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <svg aria-hidden="true" width="26" height="26" viewBox="0 0 26 26" style={{ flex: 'none' }}>
        <rect width="26" height="26" rx="7" fill="var(--mantine-color-indigo-7)" />
        <path d="M8 5.5v15M8 6.5c4-2 6 2 10.5 0v7.5c-4.5 2-6.5-2-10.5 0" fill="none" stroke="#fff" strokeWidth="1.9" />
      </svg>
      <Text fw={650} className="nowrap">
        Flag Football{' '}
        <Text inherit span visibleFrom="xs">
          console
        </Text>
      </Text>
    </Group>
  );
}

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const data = optionsOf({ light: 'Light', dark: 'Dark', auto: 'System' });
  const props = { data, value: colorScheme, onChange: setColorScheme, 'aria-label': 'Color scheme' };
  return <SegmentedControl fullWidth size="xs" {...props} />;
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty text={['There is no page at this URL', 'Check the URL, or start from the overview.']}>
        <LinkButton to="/">Go to overview</LinkButton>
      </Empty>
    </Page>
  );
}
