import { Anchor, AppShell, Burger, Button, Group, NavLink, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { createLink, Outlet } from '@tanstack/react-router';
import { sessionStore, signOut } from '../api/session';
import { useStore } from '../api/store';
import { Icon, type IconName } from '../components/icons';
import { texts } from '../texts';
import { Brand } from './brand';

const RouterNavLink = createLink(NavLink<'a'>);

const pages = [
  { to: '/', icon: 'overview', label: texts.navigation.overview },
  { to: '/organizations', icon: 'organizations', label: texts.navigation.organizations },
  { to: '/keys', icon: 'keys', label: texts.navigation.keys },
  { to: '/audit', icon: 'audit', label: texts.navigation.audit },
] as const satisfies readonly { to: string; icon: IconName; label: string }[];

/** The frame of every page: header, navigation, and the page itself. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
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
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={texts.navigation.label}
              aria-expanded={isOpen}
            />
            <Brand />
          </Group>
          <Account />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={texts.navigation.label}>
        <Stack gap={2} flex={1}>
          {pages.map(({ to, icon, label }) => (
            <RouterNavLink
              key={to}
              to={to}
              label={label}
              leftSection={<Icon name={icon} />}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="nav-link"
              onClick={close}
            />
          ))}
        </Stack>
        <ColorScheme />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function focusMain(event: { preventDefault: () => void }) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Account() {
  const { email } = useStore(sessionStore);
  return (
    <Group gap="sm" wrap="nowrap">
      <Text size="sm" c="dimmed" visibleFrom="sm">
        {email}
      </Text>
      <Button size="xs" variant="default" onClick={() => signOut()}>
        {texts.signIn.signOut}
      </Button>
    </Group>
  );
}

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label={texts.colorScheme.label}
      data={[...texts.colorScheme.options]}
      value={colorScheme}
      onChange={setColorScheme}
    />
  );
}
