import { Button, CopyButton } from '@mantine/core';
import { texts } from '../texts';
import { Icon } from './icons';

/** Copies a value; `what` names it in the button. */
export function Copy({ value, what, isProminent = false }: { value: string; what: string; isProminent?: boolean }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Button
          size={isProminent ? 'sm' : 'compact-xs'}
          variant={isProminent ? 'filled' : 'default'}
          leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
          onClick={copy}
        >
          {copied ? texts.actions.copied : texts.actions.copy(what)}
        </Button>
      )}
    </CopyButton>
  );
}
