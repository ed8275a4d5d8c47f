import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { texts } from '../texts';
import { FormDialog } from './dialog';

interface ConfirmDialogProps {
  /** The title, and the label of the button. */
  readonly title: string;
  /** What stops or starts working. */
  readonly explanation: string;
  /** What the user must type, if the change is dangerous. */
  readonly name?: string | undefined;
  readonly notice: string;
  readonly send: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before a change; before a dangerous one, the user must type a name. */
export function ConfirmDialog({ title, explanation, name, ...dialog }: ConfirmDialogProps) {
  const form = useForm({ initialValues: { typed: '' } });
  const isDangerous = name !== undefined;
  const isDisabled = isDangerous && form.values.typed.trim() !== name.trim();
  return (
    <FormDialog
      {...dialog}
      title={title}
      submitLabel={title}
      form={form}
      isDangerous={isDangerous}
      isDisabled={isDisabled}
    >
      <Text size="sm">{explanation}</Text>
      {isDangerous && (
        <TextInput
          label={texts.actions.typeToConfirm(name)}
          className="break"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('typed')}
        />
      )}
    </FormDialog>
  );
}
