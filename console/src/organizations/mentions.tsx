import { Anchor, Stack, Text } from '@mantine/core';
import type { ErasedPlayerResponse } from '../api/generated/types.gen';
import { toWords } from '../components/facts';
import { formatCount } from '../components/number';

interface MentionsProps extends Pick<ErasedPlayerResponse, 'mentions'> {
  onOpen: (id: string) => void;
}

/** The texts that still contain the name of the player who was erased. They stay during the searches for their records. */
export function Mentions({ mentions, onOpen }: MentionsProps) {
  if (mentions === undefined) return <Text size="sm">Other texts were not searched for the erased name.</Text>;
  const { data, total } = mentions;
  const listed = total > data.length ? ` The first ${data.length}:` : '';
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm">{`The erased name still stands in ${formatCount(total, 'other text')}.${listed}`}</Text>
      {data.map(({ kind, id, field }) => (
        <Anchor key={id + field} component="button" type="button" size="sm" ta="left" onClick={() => onOpen(id)}>
          {`${toWords(field)} of the ${kind} ${id}`}
        </Anchor>
      ))}
    </Stack>
  );
}
