import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ApiError } from '../api/client';
import { Store, useStore } from '../api/store';
import { texts } from '../texts';
import { Failure, showNotice } from './ui';

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

interface FormDialogProps<Values extends Record<string, unknown>, Result> {
  readonly title: string;
  readonly submitLabel?: string | undefined;
  readonly form: UseFormReturnType<Values>;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly send: (values: Values) => Promise<Result>;
  /** The confirmation to show after success. */
  readonly notice?: string;
  /** Replaces the form after success, for a result that must be seen. */
  readonly result?: { readonly title: string; readonly render: (result: Result) => ReactNode };
  readonly children?: ReactNode;
}

/** A dialog with a form. Errors of the server appear at their fields, any other error above the buttons. */
export function FormDialog<Values extends Record<string, unknown>, Result>(props: FormDialogProps<Values, Result>) {
  const { title, submitLabel = title, form, isDangerous, isDisabled = false, notice, result, children } = props;
  const mutation = useMutation({
    mutationFn: props.send,
    onSuccess: () => {
      if (notice !== undefined) showNotice(notice);
      if (result === undefined) closeDialog();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const hasResult = result !== undefined && mutation.isSuccess;
  const isElsewhere = mutation.error && Object.keys(fieldErrors(mutation.error)).length === 0;
  return (
    <Modal
      opened
      onClose={closeDialog}
      title={hasResult ? result.title : title}
      closeOnEscape={!hasResult}
      withCloseButton={!hasResult}
    >
      {hasResult && result.render(mutation.data)}
      {!hasResult && (
        <form noValidate onSubmit={form.onSubmit((values) => mutation.mutate(values))}>
          <Stack>
            {children}
            {isElsewhere && <Failure error={mutation.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={closeDialog}>
                {texts.cancel}
              </Button>
              <Button
                type="submit"
                loading={mutation.isPending}
                disabled={isDisabled}
                {...(isDangerous && { color: 'red.9' })}
              >
                {submitLabel}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
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
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'datetime-local';
  readonly description?: string;
  readonly value?: string;
}

interface FieldsDialogProps<Name extends string> extends Omit<
  FormDialogProps<Record<Name, string>, unknown>,
  'form' | 'children'
> {
  readonly fields: Readonly<Record<Name, Field>>;
  readonly hint?: string;
}

function FieldsDialog<Name extends string>({ fields, hint, ...dialog }: FieldsDialogProps<Name>) {
  const entries = Object.entries<Field>(fields);
  const initialValues = Object.fromEntries(entries.map(([name, { value = '' }]) => [name, value]));
  const form = useForm({
    initialValues: initialValues as Record<Name, string>,
    // The input of an incomplete time is empty. The server checks everything else.
    validate: (values) => {
      const missing = entries.filter(([name, { type }]) => type === 'datetime-local' && values[name as Name] === '');
      return Object.fromEntries(missing.map(([name]) => [name, texts.fields.missingTime]));
    },
  });
  return (
    <FormDialog {...dialog} form={form}>
      {hint !== undefined && <Text size="sm">{hint}</Text>}
      {entries.map(([name, { type, label, description }], index) => {
        const props = { label, description, 'data-autofocus': index === 0, ...form.getInputProps(name) };
        return type === 'password' ? (
          <Password key={name} autoComplete="new-password" {...props} />
        ) : (
          <TextInput key={name} type={type ?? 'text'} autoComplete="off" {...props} />
        );
      })}
    </FormDialog>
  );
}

export const Password = PasswordInput.withProps({ visibilityToggleButtonProps: { 'aria-label': texts.showPassword } });

/** Opens a form of text inputs. */
export const openForm = <Name extends string>(props: FieldsDialogProps<Name>): void =>
  openDialog(<FieldsDialog {...props} />);

interface Confirmation {
  /** The title, and the label of the button. */
  readonly title: string;
  /** What stops or starts working. */
  readonly hint: string;
  /** What the user must type, if the change is dangerous. */
  readonly name?: string | undefined;
  readonly notice: string;
  readonly send: () => Promise<unknown>;
}

function ConfirmDialog({ hint, name, ...dialog }: Confirmation) {
  const form = useForm({ initialValues: { typed: '' } });
  const isDangerous = name !== undefined;
  const isDisabled = isDangerous && form.values.typed.trim() !== name.trim();
  return (
    <FormDialog {...dialog} form={form} isDangerous={isDangerous} isDisabled={isDisabled}>
      <Text size="sm">{hint}</Text>
      {isDangerous && (
        <TextInput
          data-autofocus
          label={texts.typeToConfirm(name)}
          autoComplete="off"
          {...form.getInputProps('typed')}
        />
      )}
    </FormDialog>
  );
}

/** Asks before a change; before a dangerous one, the user must type a name. */
export const confirm = (confirmation: Confirmation): void => openDialog(<ConfirmDialog {...confirmation} />);
