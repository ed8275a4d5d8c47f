import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api/client';
import { texts } from '../texts';
import { Failure } from './failure';
import { showNotice } from './notice';

/** Returns the element that has the focus, or the button of the menu that has it and is about to close. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement as HTMLElement | null;
  const menuButton = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return menuButton == null ? focused : document.getElementById(menuButton);
}

/** Focuses the opener, or the heading of the page if the opener is gone, unless another dialog has opened. */
function returnFocus(opener: HTMLElement | null): void {
  if (document.querySelector('[role=dialog]') !== null) return;
  const target = opener?.isConnected ? opener : document.querySelector('h1');
  target?.focus();
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether Escape, a click beside the dialog and a close button close it. */
  readonly isDismissible?: boolean;
  readonly children: ReactNode;
}

/** A dialog that is open while it is rendered, and then returns the focus to the control that opened it. */
export function Dialog({ title, onClose, isDismissible = true, children }: DialogProps) {
  const [opener] = useState(findOpener);
  useEffect(() => () => void setTimeout(() => returnFocus(opener)), [opener]);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      returnFocus={false}
      closeOnClickOutside={false}
      closeOnEscape={isDismissible}
      withCloseButton={isDismissible}
      closeButtonProps={{ 'aria-label': texts.actions.close }}
    >
      {children}
    </Modal>
  );
}

interface FormDialogProps<Values extends Record<string, unknown>, Result> extends DialogProps {
  readonly form: UseFormReturnType<Values>;
  readonly submitLabel: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly send: (values: Values) => Promise<Result>;
  /** The confirmation to show after success. */
  readonly notice?: string;
  /** Replaces the form after success, for a result that must be seen. */
  readonly result?: { readonly title: string; readonly render: (result: Result) => ReactNode };
}

/** A dialog with a form. Errors of the server appear at their fields, any other error above the buttons. */
export function FormDialog<Values extends Record<string, unknown>, Result>(props: FormDialogProps<Values, Result>) {
  const { title, onClose, form, submitLabel, isDangerous, isDisabled, send, notice, result, children } = props;
  const mutation = useMutation({
    mutationFn: send,
    onSuccess: () => {
      if (notice !== undefined) showNotice(notice);
      if (result === undefined) onClose();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  if (result !== undefined && mutation.isSuccess) {
    return (
      <Dialog title={result.title} onClose={onClose} isDismissible={false}>
        {result.render(mutation.data)}
      </Dialog>
    );
  }
  const isElsewhere = mutation.error && Object.keys(fieldErrors(mutation.error)).length === 0;
  return (
    <Dialog title={title} onClose={onClose}>
      <form noValidate onSubmit={form.onSubmit((values) => mutation.mutate(values))}>
        <Stack>
          {children}
          {isElsewhere && <Failure error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.actions.cancel}
            </Button>
            <Button
              type="submit"
              loading={mutation.isPending}
              disabled={isDisabled ?? false}
              {...(isDangerous && { color: 'red.9' })}
            >
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Returns the messages of the error envelope by field, without the name of the field, whose label is next to it. */
export function fieldErrors(error: Error): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.details.map(({ field, message }) => {
      const text = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message;
      // The entries of an array share one field.
      return [field.replace(/\[\d+\].*$/, ''), text.charAt(0).toUpperCase() + text.slice(1)];
    }),
  );
}
