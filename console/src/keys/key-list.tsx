import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { queries } from '../api/queries';
import { Empty } from '../components/empty';
import { pageSize, QueryList } from '../components/list';
import { texts } from '../texts';
import { CreateKeyDialog } from './create-key-dialog';
import { EditKeyDialog } from './edit-key-dialog';
import { type KeyAction, keyColumns } from './key-columns';
import { type KeyFilter, keyFilters, queryOf } from './key-filters';
import { EndGraceDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs';

interface KeyListProps {
  /** Undefined: the keys of all organizations. */
  readonly organizationId?: string;
  readonly filter?: KeyFilter | undefined;
  readonly page?: number | undefined;
  readonly onChange: (search: { filter: KeyFilter | undefined; page: number | undefined }) => void;
}

const dialogs = {
  edit: EditKeyDialog,
  rotate: RotateKeyDialog,
  endGrace: EndGraceDialog,
  revoke: RevokeKeyDialog,
} satisfies Record<KeyAction, unknown>;

/** The keys of one organization or of all, with everything that can be done with a key. */
export function KeyList({ organizationId, filter, page, onChange }: KeyListProps) {
  const [isCreating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<{ readonly action: KeyAction; readonly apiKey: ApiKeyResponse }>();
  const limits = { page: page ?? 1, limit: pageSize };
  const list = useQuery(queries.keys({ ...queryOf(filter), ...(organizationId && { organizationId }), ...limits }));
  const ChosenDialog = chosen && dialogs[chosen.action];
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <NativeSelect
          label={texts.keys.filter}
          value={filter ?? ''}
          onChange={({ currentTarget }) => {
            onChange({ filter: keyFilters.find((name) => name === currentTarget.value), page: undefined });
          }}
          data={[
            { value: '', label: texts.keys.allFilter },
            ...keyFilters.map((name) => ({ value: name, label: texts.keys.filters[name] })),
          ]}
        />
        <Button onClick={() => setCreating(true)}>{texts.keys.create}</Button>
      </Group>
      <QueryList
        label={texts.keys.list}
        query={list}
        columns={keyColumns(organizationId === undefined, (action, apiKey) => setChosen({ action, apiKey }))}
        rowKey={({ id }) => id}
        page={page}
        onPage={(next) => onChange({ filter, page: next })}
        empty={<NoKeys filter={filter} onShowAll={() => onChange({ filter: undefined, page: undefined })} />}
      />
      {isCreating && <CreateKeyDialog organizationId={organizationId} onClose={() => setCreating(false)} />}
      {ChosenDialog && <ChosenDialog apiKey={chosen.apiKey} onClose={() => setChosen(undefined)} />}
    </Stack>
  );
}

function NoKeys({ filter, onShowAll }: { filter: KeyFilter | undefined; onShowAll: () => void }) {
  if (filter === undefined) return <Empty title={texts.keys.none} hint={texts.keys.noneHint} />;
  return (
    <Empty title={texts.keys.noMatch} hint={texts.keys.noMatchHint}>
      <Button variant="default" onClick={onShowAll}>
        {texts.keys.showAll}
      </Button>
    </Empty>
  );
}
