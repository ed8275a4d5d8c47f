import { Button } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { Empty } from '../components/empty';
import { Page } from '../components/page';
import { texts } from '../texts';

const LinkButton = createLink(Button<'a'>);

export function NotFound() {
  return (
    <Page title={texts.notFound.title}>
      <Empty title={texts.notFound.text} hint={texts.notFound.hint}>
        <LinkButton to="/">{texts.notFound.back}</LinkButton>
      </Empty>
    </Page>
  );
}
