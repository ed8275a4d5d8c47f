import { Button, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { queryClient } from '../api/client';
import { getToken } from '../api/session';
import { Section } from '../components/page';
import { Failure } from '../components/ui';
import { ImportForm, type Settings } from './import-form';
import { countsInWords, ImportOutcome } from './import-outcome';
import { ImportPreview } from './import-preview';
import type { ImportReply, ImportRequest } from './import-worker';

interface State extends ImportReply {
  run?: 'dryRun' | 'import';
}

/** Imports a file as people have it: shows how it is understood, tries it, and then writes it. */
export function ImportFile({ organizationId }: { organizationId: string }) {
  const [settings, setSettings] = useState<Settings>({
    encoding: 'utf-8',
    sheet: '',
    hasHeader: true,
    options: { kind: 'players' },
  });
  const [{ preview, result, error, isEnd, run }, setState] = useState<State>({});
  const worker = useRef<Worker>(undefined);
  useEffect(() => () => worker.current?.terminate(), []);
  const { file, options } = settings;
  const isRunning = run !== undefined && !isEnd && error === undefined;
  const isTried = run === 'dryRun' && isEnd === true && error === undefined;

  const ask = ({ file, ...request }: Settings & Pick<ImportRequest, 'target'>) => {
    worker.current?.terminate();
    if (!file) return;
    worker.current = new Worker(new URL('./import-worker.ts', import.meta.url), { type: 'module' });
    worker.current.onmessage = ({ data }: MessageEvent<ImportReply>) => {
      setState((state) => ({ ...state, ...data }));
      if (data.isEnd) void queryClient.invalidateQueries();
    };
    worker.current.onerror = () => setState({ error: 'The file cannot be read. Reload the page, and try again.' });
    worker.current.postMessage({ file, ...request } satisfies ImportRequest);
  };
  const change = (changes: Partial<Settings>) => {
    const next = { ...settings, ...changes };
    setSettings(next);
    setState({ preview });
    ask(next);
  };
  const start = async (run: 'dryRun' | 'import') => {
    setState({ preview, run });
    const target = { organizationId, token: await getToken() };
    ask({ ...settings, options: { ...options, dryRun: run === 'dryRun' }, target });
  };
  const status = [
    isRunning && 'Running …',
    result && countsInWords(result),
    isTried && 'This was a dry run: nothing was written.',
    run === 'import' && isEnd && error === undefined && 'The import is complete.',
  ];

  return (
    <Section title="Import a file">
      <Stack>
        <Text size="sm">
          CSV or Excel, as other programs export it. What is equal stays unchanged, and nothing is deleted, so that you
          can repeat an import. The audit log records it.
        </Text>
        {/* A change starts another worker, which would end the import half-way. */}
        <Fieldset variant="unstyled" miw={0} disabled={isRunning}>
          <Stack>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              <ImportForm organizationId={organizationId} settings={settings} onChange={change} />
            </SimpleGrid>
            {preview && file && (
              <ImportPreview
                preview={preview}
                onMap={(map) => change({ options: { ...options, map: { ...options.map, ...map } } })}
              />
            )}
          </Stack>
        </Fieldset>
        {error !== undefined && <Failure error={{ message: error }} />}
        <Text role="status" size="sm">
          {status.filter(Boolean).join(' ')}
        </Text>
        {result && !isRunning && <ImportOutcome result={result} name={file?.name ?? ''} />}
        {preview && file && (
          <Group gap="xs">
            <Button variant="default" disabled={isRunning} onClick={() => void start('dryRun')}>
              Dry run
            </Button>
            <Button disabled={!isTried} onClick={() => void start('import')}>
              Import
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  );
}
