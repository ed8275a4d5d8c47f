import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useEffect } from 'react';
import { ApiError } from '../api/client';
import { createAtom, useSelector } from '@tanstack/react-store';
import { texts } from '../texts';
import { Failure, type RowAction, showNotice } from './ui';

const dialogAtom = createAtom<ReactNode>(null);
let opener: Element | null = null;

/** Opens a dialog. The focus returns to the control that has it now, or to the button of its menu. */
export function openDialog(dialog: ReactNode): void {
  const menuButton = document.activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  opener = menuButton == null ? document.activeElement : document.getElementById(menuButton);
  dialogAtom.set(dialog);
}

export function closeDialog(): void {
  dialogAtom.set(null);
  setTimeout(() => {
    const target = opener?.isConnected ? opener : document.querySelector('h1');
    if (target instanceof HTMLElement) target.focus();
  });
}

/** Shows the open dialog. With the path as its key, it closes the dialog when the page changes. */
export function DialogArea() {
  useEffect(() => () => dialogAtom.set(null), []);
  return useSelector(dialogAtom);
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

/** A dialog with a form. An error of the server is shown at the fields that it names, or else above the buttons. */
export function FormDialog<Values extends Record<string, unknown>, Result>(props: FormDialogProps<Values, Result>) {
  const { title, form, notice, result, isDangerous = false } = props;
  const mutation = useMutation({
    mutationFn: props.send,
    onSuccess: () => {
      if (notice !== undefined) showNotice(notice);
    },
    onError: (error) => {
      form.setErrors(fieldErrors(error));
      form.getInputNode(Object.keys(fieldErrors(error))[0] ?? '')?.focus();
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A time that is filled in partly has the value of an empty one, which would mean "no limit".
    const time = event.currentTarget.querySelector<HTMLInputElement>('[type=datetime-local]:invalid')?.dataset.path;
    if (time !== undefined) form.setErrors({ [time]: texts.fields.missingTime });
    else mutation.mutate(form.values, { onSuccess: result ? undefined : closeDialog });
  };
  /** Waits for the response, because it can have a secret that is shown only once. */
  const close = () => {
    if (!mutation.isPending) closeDialog();
  };
  if (result && mutation.isSuccess) {
    return (
      <Modal opened onClose={closeDialog} title={result.title} closeOnEscape={false} withCloseButton={false}>
        {result.render(mutation.data)}
      </Modal>
    );
  }
  const invalidFields = Object.keys(fieldErrors(mutation.error));
  const isAtFields = invalidFields.length > 0 && invalidFields.every((name) => form.getInputNode(name));
  return (
    <Modal opened onClose={close} title={title}>
      <form noValidate onSubmit={submit}>
        <Stack>
          {props.children}
          {mutation.error && !isAtFields && <Failure error={mutation.error} />}
          <Group justify="flex-end">
            <Button variant="default" disabled={mutation.isPending} onClick={close}>
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
export function fieldErrors(error: Error | null): Record<string, string> {
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
  });
  return (
    <FormDialog {...dialog} form={form}>
      {hint !== undefined && <Text size="sm">{hint}</Text>}
      {entries.map(([name, { type, label, description }], index) => {
        const control = { label, description, required: true, withAsterisk: false, 'data-autofocus': index === 0 };
        const props = { ...control, ...form.getInputProps(name) };
        if (type === 'password') return <Password key={name} autoComplete="new-password" {...props} />;
        return <TextInput key={name} type={type} autoComplete="off" {...props} />;
      })}
    </FormDialog>
  );
}

export const Password = PasswordInput.withProps({ visibilityToggleButtonProps: { 'aria-label': texts.showPassword } });

/** Opens a form of text inputs, all of them required. */
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
export function withConfirmation({ name, ...dialog }: Confirmation): RowAction {
  const isDangerous = name !== undefined;
  const fields: Record<string, Field> = isDangerous ? { typed: { label: texts.typeToConfirm(name) } } : {};
  const isDisabled = ({ typed }: Record<string, string>) => isDangerous && typed?.trim() !== name.trim();
  return {
    label: dialog.title,
    onClick: () => openForm({ ...dialog, fields, isDangerous, isDisabled }),
    isDangerous,
  };
}
