import { Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { randomId, useWindowEvent } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { Fragment, type ReactNode, type SyntheticEvent, useEffect } from 'react';
import { ApiError, withLabels } from '../api/client';
import { Failure, type RowAction } from './ui';

const modalId = 'form';

/** Opens a dialog with a `DialogForm`, instead of the one that is open. */
export function openDialog(title: string, children: ReactNode): string {
  closeDialog();
  const form = <Fragment key={randomId()}>{children}</Fragment>;
  return modals.open({ modalId, title, children: form, closeOnEscape: false });
}

const closeDialog = (): void => modals.close(modalId);

/** Shows what has happened, instead of an earlier notice. */
export function showNotice(message: string): void {
  notifications.clean();
  notifications.show({ message });
}

interface FormOptions<Values, Result> {
  submitLabel: string;
  send: (values: Values) => Promise<Result>;
  /** Called after success, even if the user has left the page. */
  onSuccess?: (result: Result) => void;
  /** The confirmation to show after success. */
  notice?: string;
  isDangerous?: boolean;
  isDisabled?: (values: Values) => boolean;
}

interface DialogFormProps<Values extends Record<string, unknown>, Result> extends FormOptions<Values, Result> {
  form: UseFormReturnType<Values>;
  children: ReactNode;
}

/** The form of a dialog. An error of the server is shown at the fields that it names, or else above the buttons. */
export function DialogForm<Values extends Record<string, unknown>, Result>(props: DialogFormProps<Values, Result>) {
  const { form, notice, isDangerous = false } = props;
  const { mutate, error, isPending } = useMutation({
    mutationFn: props.send,
    onSuccess: (result) => {
      if (notice !== undefined) showNotice(notice);
      props.onSuccess?.(result);
    },
    onError: (failure) => {
      form.setErrors(fieldErrors(failure));
      form.getInputNode(Object.keys(fieldErrors(failure))[0] ?? '')?.focus();
    },
  });
  // Escape must not discard what someone has typed, and a response can have a secret that is shown only once. The form is
  // read when the key arrives: a property of the modal would be one render behind what was typed.
  useWindowEvent('keydown', ({ key, target }) => {
    const isHandled = target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true';
    if (key === 'Escape' && !isHandled && !form.isDirty() && !isPending) closeDialog();
  });
  useEffect(() => {
    // The control that had the focus is gone if this form replaces another one.
    const inputs = Object.keys(form.values).map((name) => form.getInputNode(name));
    if (document.activeElement === document.body) inputs.find(Boolean)?.focus();
  }, []);
  useEffect(() => modals.updateModal({ modalId, closeButtonProps: { disabled: isPending } }), [isPending]);
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A time that is filled in partly has the value of an empty one, which would mean "no limit".
    const time = event.currentTarget.querySelector<HTMLInputElement>('[type=datetime-local]:invalid')?.dataset.path;
    if (time !== undefined) form.setErrors({ [time]: 'Enter a date and a time' });
    else mutate(form.values, { onSuccess: closeDialog });
  };
  const invalidFields = Object.keys(fieldErrors(error));
  const isAtFields = invalidFields.length > 0 && invalidFields.every((name) => form.getInputNode(name));
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        {props.children}
        {error && !isAtFields && <Failure error={error} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={isPending} onClick={closeDialog}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isPending}
            disabled={props.isDisabled?.(form.values)}
            color={isDangerous ? 'red.9' : undefined}
          >
            {props.submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Returns the messages of the error envelope by field, such as `creatorEmail`, without the name of the field. */
export function fieldErrors(error: Error | null): Record<string, string> {
  const details = error instanceof ApiError ? error.details : [];
  const errors: Record<string, string> = {};
  for (const { field, message } of details) {
    const problem = withLabels(message.startsWith(`${field} `) ? message.slice(field.length + 1) : message);
    const text = problem.charAt(0).toUpperCase() + problem.slice(1);
    // The entries of an array are the lines of one field.
    const [path = '', index] = field.split(/[[\]]/);
    const name = path.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
    const line = index === undefined ? text : `Line ${Number(index) + 1}: ${text}`;
    errors[name] = errors[name] === undefined ? line : `${errors[name]}\n${line}`;
  }
  return errors;
}

interface Field extends Pick<TextInputProps, 'description' | 'autoComplete' | 'inputMode'> {
  label: string;
  /** The value of a `checkbox` is empty unless it is checked. */
  type?: 'email' | 'password' | 'datetime-local' | 'checkbox';
  value?: string;
}

interface FieldsFormProps<Name extends string, Result> extends Omit<
  FormOptions<Record<Name, string>, Result>,
  'submitLabel'
> {
  title: string;
  /** Default: the title. */
  submitLabel?: string;
  hint?: ReactNode;
  fields: Record<Name, Field>;
}

function FieldsForm<Name extends string, Result>(props: FieldsFormProps<Name, Result>) {
  const { title, submitLabel = title, hint, fields, ...options } = props;
  const entries = Object.entries<Field>(fields) as [Name, Field][];
  const form = useForm({
    initialValues: Object.fromEntries(entries.map(([name, { value = '' }]) => [name, value])) as Record<Name, string>,
  });
  return (
    <DialogForm {...options} submitLabel={submitLabel} form={form}>
      {typeof hint === 'string' ? <Text size="sm">{hint}</Text> : hint}
      {entries.map(([name, { type, ...field }], index) => {
        const required = { required: true, withAsterisk: false, 'data-autofocus': index === 0 };
        const control = { ...field, ...required, ...form.getInputProps(name) };
        if (type === 'password') return <Password key={name} autoComplete="new-password" {...control} />;
        if (type === 'checkbox') {
          const check = (isChecked: boolean) => form.setFieldValue(name, (isChecked ? 'on' : '') as never);
          return <Checkbox key={name} label={field.label} onChange={(event) => check(event.currentTarget.checked)} />;
        }
        const description = type === 'datetime-local' && 'In your time zone.';
        return <TextInput key={name} type={type} autoComplete="off" description={description} {...control} />;
      })}
    </DialogForm>
  );
}

export const Password = PasswordInput.withProps({ visibilityToggleButtonProps: { 'aria-label': 'Show password' } });

/** Opens a form of text inputs, all of them required, and checkboxes. */
export const openForm = <Name extends string, Result = unknown>(props: FieldsFormProps<Name, Result>): string =>
  openDialog(props.title, <FieldsForm {...props} />);

interface Confirmation extends Pick<FieldsFormProps<string, unknown>, 'isDangerous' | 'notice' | 'send'> {
  /** The label of the action and of the button, and the beginning of the title. */
  label: string;
  /** What stops or starts working. */
  hint: string;
  /** What the change is about. */
  subject: string;
  fields?: Record<string, Field>;
}

/** Returns an action that asks before it runs; before a dangerous one, the user must type what it is about. */
export function withConfirmation({ label, subject, isDangerous = false, ...form }: Confirmation): RowAction {
  const fields = isDangerous ? { typed: { label: `Type “${subject}” to confirm` } } : (form.fields ?? {});
  const isDisabled = ({ typed }: Record<string, string>) => isDangerous && typed?.trim() !== subject.trim();
  const onClick = () =>
    openForm({ ...form, title: `${label}: ${subject}`, submitLabel: label, fields, isDangerous, isDisabled });
  return { label, onClick, isDangerous };
}
