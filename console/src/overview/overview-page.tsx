import { Page } from '../components/page';
import { texts } from '../texts';

export function OverviewPage() {
  return (
    <Page title={texts.overview.title} description={texts.overview.description}>
      <></>
    </Page>
  );
}
