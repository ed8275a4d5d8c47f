import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ApiError } from '../api/client';
import { Store, useStore } from '../api/store';
import { texts } from '../texts';
import { Failure, type RowAction, showNotice } from './ui';

const dialogStore = new Store<ReactNode>(null);
let opener: Element | null = null;

/** Opens a dialog. The focus returns to the control that has it now, or to the button of its menu. */
export function openDialog(dialog: ReactNode): void {
  const menuButton = document.activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  opener = menuButton == null ? document.activeElement : document.getElementById(menuButton);
  dialogStore.set(dialog);
}

export function closeDialog(): void {
  dialogStore.set(null);
  setTimeout(() => {
    const target = opener?.isConnected ? opener : document.querySelector('h1');
    if (target instanceof HTMLElement) target.focus();
  });
}

/** Shows the open dialog. With the path as its key, it closes the dialog when the page changes. */
export function DialogArea() {
  useEffect(() => () => dialogStore.set(null), []);
  return useStore(dialogStore);
}

interface FormOptions<Values, Result> {
  title: string;
  submitLabel?: string;
  send: (values: Values) => Promise<Result>;
  /** The confirmation to show after success. */
  notice?: string;
  isDangerous?: boolean;
  isDisabled?: (values: Values) => boolean;
}

interface FormDialogProps<Values extends Record<string, unknown>, Result> extends FormOptions<Values, Result> {
  form: UseFormReturnType<Values>;
  /** Replaces the form after success, for a result that must be seen. */
  result?: { title: string; render: (result: Result) => ReactNode };
  children: ReactNode;
}

/** A dialog with a form. Errors of the server appear at their fields, any other error above the buttons. */
export function FormDialog<Values extends Record<string, unknown>, Result>(props: FormDialogProps<Values, Result>) {
  const { title, form, notice, result, isDangerous = false } = props;
  const mutation = useMutation({
    mutationFn: props.send,
    onSuccess: () => {
      if (notice !== undefined) showNotice(notice);
      if (result === undefined) closeDialog();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  if (result && mutation.isSuccess) {
    return (
      <Modal opened onClose={closeDialog} title={result.title} closeOnEscape={false} withCloseButton={false}>
        {result.render(mutation.data)}
      </Modal>
    );
  }
  const isElsewhere = mutation.error && Object.keys(fieldErrors(mutation.error)).length === 0;
  return (
    <Modal opened onClose={closeDialog} title={title}>
      <form noValidate onSubmit={form.onSubmit((values) => mutation.mutate(values))}>
        <Stack>
          {props.children}
          {isElsewhere && <Failure error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={closeDialog}>
              {texts.cancel}
            </Button>
            <Button
              type="submit"
              loading={mutation.isPending}
              disabled={props.isDisabled?.(form.values)}
              color={isDangerous ? 'red.9' : undefined}
            >
              {props.submitLabel ?? title}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Returns the messages of the error envelope by field, such as `creatorEmail`, without the name of the field. */
export function fieldErrors(error: Error): Record<string, string> {
  const details = error instanceof ApiError ? error.details : [];
  return Object.fromEntries(
    details.map(({ field, message }) => {
      const text = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message;
      // The entries of an array share one field.
      const name = field.replace(/\[\d+\].*$/, '').replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
      return [name, text.charAt(0).toUpperCase() + text.slice(1)];
    }),
  );
}

interface Field {
  label: string;
  type?: 'email' | 'password' | 'datetime-local';
  description?: string;
  value?: string;
}

interface FieldsDialogProps<Name extends string> extends FormOptions<Record<Name, string>, unknown> {
  fields: Record<Name, Field>;
  hint?: string;
}

function FieldsDialog<Name extends string>({ fields, hint, ...dialog }: FieldsDialogProps<Name>) {
  const entries = Object.entries<Field>(fields) as [Name, Field][];
  const form = useForm({
    initialValues: Object.fromEntries(entries.map(([name, { value = '' }]) => [name, value])) as Record<Name, string>,
    // The input of an incomplete time is empty. The server checks everything else.
    validate: (values) => {
      const missing = entries.filter(([name, { type }]) => type === 'datetime-local' && values[name] === '');
      return Object.fromEntries(missing.map(([name]) => [name, texts.fields.missingTime]));
    },
  });
  return (
    <FormDialog {...dialog} form={form}>
      {hint !== undefined && <Text size="sm">{hint}</Text>}
      {entries.map(([name, { type, label, description }], index) => {
        const props = { label, description, 'data-autofocus': index === 0, ...form.getInputProps(name) };
        if (type === 'password') return <Password key={name} autoComplete="new-password" {...props} />;
        return <TextInput key={name} type={type} autoComplete="off" {...props} />;
      })}
    </FormDialog>
  );
}

export const Password = PasswordInput.withProps({ visibilityToggleButtonProps: { 'aria-label': texts.showPassword } });

/** Opens a form of text inputs. */
export const openForm = <Name extends string>(props: FieldsDialogProps<Name>): void =>
  openDialog(<FieldsDialog {...props} />);

interface Confirmation {
  /** The label of the action, the title of its dialog, and the label of the button. */
  title: string;
  /** What stops or starts working. */
  hint: string;
  /** What the user must type, if the change is dangerous. */
  name?: string;
  notice: string;
  send: () => Promise<unknown>;
}

/** Returns an action that asks before a change; before a dangerous one, the user must type a name. */
export function confirmed({ name, ...dialog }: Confirmation): RowAction {
  const isDangerous = name !== undefined;
  const fields: Record<string, Field> = isDangerous ? { typed: { label: texts.typeToConfirm(name) } } : {};
  const isDisabled = ({ typed }: Record<string, string>) => isDangerous && typed?.trim() !== name.trim();
  return {
    label: dialog.title,
    onClick: () => openForm({ ...dialog, fields, isDangerous, isDisabled }),
    isDangerous,
  };
}
