import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../components/page';
import { texts } from '../texts';
import { KeyList } from './key-list';

const route = getRouteApi('/keys');

export function KeysPage() {
  const { filter, page } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title={texts.keys.title} description={texts.keys.description}>
      <KeyList filter={filter} page={page} onChange={(search) => void navigate({ search })} />
    </Page>
  );
}
