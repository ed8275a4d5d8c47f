import { ActionIcon, Menu } from '@mantine/core';
import { texts } from '../texts';
import { Icon } from './icons';

export interface RowAction {
  readonly label: string;
  readonly onClick: () => void;
  readonly isDangerous?: boolean;
}

/** The menu at the end of a row. */
export function RowActions({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  if (actions.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="inherit" aria-label={texts.actions.menu(name)}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, onClick, isDangerous }) => (
          <Menu.Item key={label} onClick={onClick} {...(isDangerous && { c: 'var(--mantine-color-error)' })}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
