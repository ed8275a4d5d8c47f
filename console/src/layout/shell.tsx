import { Anchor, AppShell, Burger, Button, Group, NavLink, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { createLink, Outlet, useLocation } from '@tanstack/react-router';
import type { SyntheticEvent } from 'react';
import { sessionAtom, signOut } from '../api/session';
import { useSelector } from '@tanstack/react-store';
import { DialogArea } from '../components/dialog';
import { Page } from '../components/page';
import { Empty, Icon, LinkButton, optionsOf } from '../components/ui';
import { texts } from '../texts';

const RouterNavLink = createLink(NavLink<'a'>);

const pages = [
  ['/', 'overview'],
  ['/organizations', 'organizations'],
  ['/keys', 'keys'],
  ['/audit', 'audit'],
] as const;

/** The frame of every page: header, navigation, and the page itself. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { email } = useSelector(sessionAtom);
  const pathname = useLocation({ select: (location) => location.pathname });
  const burger = { opened: isOpen, onClick: toggle, 'aria-label': texts.navigation.label, 'aria-expanded': isOpen };
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <Anchor href="#main" className="skip-link" onClick={focusMain}>
        {texts.navigation.skip}
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger {...burger} hiddenFrom="sm" size="sm" />
            <Brand />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <Text size="sm" c="dimmed" visibleFrom="sm">
              {email}
            </Text>
            <Button size="xs" variant="default" flex="none" onClick={() => signOut()}>
              {texts.signIn.signOut}
            </Button>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" visibleFrom={isOpen ? undefined : 'sm'} aria-label={texts.navigation.label}>
        <Stack gap={2} flex={1}>
          {pages.map(([to, name]) => (
            <RouterNavLink
              key={to}
              to={to}
              label={texts.navigation.pages[name]}
              leftSection={<Icon name={name} />}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              bdrs="md"
              onClick={close}
            />
          ))}
        </Stack>
        <ColorScheme />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      <DialogArea key={pathname} />
    </AppShell>
  );
}

function focusMain(event: SyntheticEvent) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** A flag on its pole, and the name of the console. */
export function Brand() {
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <svg aria-hidden="true" width="26" height="26" viewBox="0 0 26 26" style={{ flex: 'none' }}>
        <rect width="26" height="26" rx="7" fill="var(--mantine-color-indigo-7)" />
        <path d="M8 5.5v15M8 6.5c4-2 6 2 10.5 0v7.5c-4.5 2-6.5-2-10.5 0" fill="none" stroke="#fff" strokeWidth="1.9" />
      </svg>
      <Text fw={650} truncate>
        {texts.product}
      </Text>
    </Group>
  );
}

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const props = { value: colorScheme, onChange: setColorScheme, 'aria-label': texts.colorScheme.label };
  return <SegmentedControl fullWidth size="xs" data={optionsOf(texts.colorScheme.options)} {...props} />;
}

export function NotFound() {
  return (
    <Page title={texts.notFound.title}>
      <Empty text={texts.notFound.empty}>
        <LinkButton to="/">{texts.notFound.back}</LinkButton>
      </Empty>
    </Page>
  );
}
