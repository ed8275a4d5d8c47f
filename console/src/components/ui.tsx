import {
  ActionIcon,
  Alert,
  Anchor,
  Badge,
  Button,
  type ButtonProps,
  Code,
  CopyButton,
  Group,
  Menu,
  Stack,
  Text,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useRef } from 'react';

export const LinkAnchor = createLink(Anchor<'a'>);
/** A link that looks like a button. */
export const LinkButton = createLink((props: ButtonProps & ComponentProps<'a'>) => <Button component="a" {...props} />);

const icons = {
  overview: 'M4 13h6V4H4zM14 20h6V4h-6zM4 20h6v-3H4z',
  organizations: 'M4 21V5l8-2v18M12 9l8 2v10M2 21h20M8 8v.01M8 12v.01M8 16v.01M16 14v.01M16 17.5v.01',
  keys: 'M14 10a4.5 4.5 0 1 0-4.4 5.5A4.5 4.5 0 0 0 14 12h7v4M18 12v3M9.5 11v.01',
  webhooks: 'M10 13a4 4 0 1 1 3-6.6L16 12a4 4 0 1 1-3 6.5M4 15a4 4 0 1 0 4 3h7',
  superAdmins: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-5',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 6 0 0 1 15 0',
  more: 'M12 5v.01M12 12v.01M12 19v.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l5 5L20 7',
  search: 'M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5L21 21',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.5v.01',
};

/** An icon beside a text: hidden from screen readers. */
export function Icon({ name, size = 18 }: { name: keyof typeof icons; size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor">
      <path d={icons[name]} strokeLinecap="round" strokeLinejoin="round" strokeWidth="1.8" />
    </svg>
  );
}

/** Copies a value; `what` names it in the button. */
export function Copy({ value, what, size = 'compact-xs' }: { value: string; what: string; size?: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button
          size={size}
          variant="light"
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
          onClick={copy}
        >
          {copied ? 'Copied' : `Copy ${what}`}
        </Button>
      )}
    </CopyButton>
  );
}

export function RequestId({ value }: { value: string }) {
  return (
    <Group gap="xs">
      <Code className="break">{value}</Code>
      <Copy value={value} what="request ID" />
    </Group>
  );
}

export interface Problem {
  message: string;
  advice?: string;
  traceId?: string;
  /** What helps, other than to try again. */
  remedy?: RowAction;
}

/** Shows why a call failed, the request ID to report it with, and a button to try again or for another remedy. */
export function Failure({ error, onRetry }: { error: Problem; onRetry?: () => unknown }) {
  const { message, advice, traceId, remedy = onRetry && { label: 'Try again', onClick: onRetry } } = error;
  return (
    <Alert role="alert" className="surface failure" color="red" icon={<Icon name="warning" />} title={message}>
      <Stack gap="xs" align="flex-start">
        {advice !== undefined && <Text size="sm">{advice}</Text>}
        {traceId !== undefined && <RequestId value={traceId} />}
        {remedy && (
          <Button size="xs" variant="default" onClick={() => remedy.onClick()}>
            {remedy.label}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** A second line, less prominent than the first. */
export const Note = Text.withProps({ size: 'xs', c: 'dimmed', className: 'break' });

/** Why there is nothing to see, and what to do next. */
export type EmptyText = readonly [reason: string, hint: string];

interface EmptyProps {
  text: EmptyText;
  actions?: RowAction[] | undefined;
  children?: ReactNode;
}

export function Empty({ text: [title, hint], actions, children }: EmptyProps) {
  return (
    <Stack className="surface" align="center" gap="xs" py={40} px="md" ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" maw={440} style={{ textWrap: 'balance' }}>
        {hint}
      </Text>
      {actions && (
        <Group gap="xs" justify="center">
          <ActionButtons actions={actions} />
        </Group>
      )}
      {children}
    </Stack>
  );
}

const tones = { good: 'teal', warning: 'yellow', bad: 'red', neutral: 'gray' };

/** A status in words; the color of the dot only repeats it. */
export function Status({ tone, children }: { tone: keyof typeof tones; children: string }) {
  return (
    <Badge color={tones[tone]} tt="none">
      {children}
    </Badge>
  );
}

/** The status of an organization or a user. */
export function AccountStatus({ disabled, erasingSince }: { disabled: boolean; erasingSince?: string }) {
  if (erasingSince !== undefined) return <Status tone="bad">Being erased</Status>;
  return <Status tone={disabled ? 'bad' : 'good'}>{disabled ? 'Disabled' : 'Active'}</Status>;
}

/** Marks a sandbox, and what belongs to one. */
export function SandboxBadge({ isSandbox }: { isSandbox: boolean }) {
  return isSandbox && <Status tone="warning">Sandbox</Status>;
}

export const roleLabels = {
  superAdmin: 'Super admin',
  organizationCreator: 'Creator',
  organizationAdmin: 'Admin',
};

export interface RowAction {
  label: string;
  onClick: () => void;
  isDangerous?: boolean;
}

/** The actions of a page, as buttons. */
export const ActionButtons = ({ actions }: { actions: RowAction[] }) =>
  actions.map(({ label, onClick }) => (
    <Button key={label} variant="default" onClick={onClick}>
      {label}
    </Button>
  ));

/** The menu at the end of a row. */
export function RowActions({ name, actions }: { name: string; actions: RowAction[] }) {
  const button = useRef<HTMLButtonElement>(null);
  if (actions.length === 0) return null;
  /** Focuses the button, because a dialog returns the focus to the control that had it. */
  const run = ({ onClick }: RowAction) => {
    button.current?.focus();
    onClick();
  };
  return (
    <Menu position="bottom-end" withInitialFocusPlaceholder={false} portalProps={{ target: '#main' }}>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" c="inherit" aria-label={`Actions for ${name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item
            key={action.label}
            onClick={() => run(action)}
            c={action.isDangerous ? 'var(--mantine-color-error)' : undefined}
          >
            {action.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
