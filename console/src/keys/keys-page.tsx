import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../components/page';
import { texts } from '../texts';
import { KeyList } from './key-list';

const route = getRouteApi('/keys');

export function KeysPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title={texts.keys.title} description={texts.keys.description}>
      <KeyList {...search} onChange={(next) => void navigate({ search: next })} />
    </Page>
  );
}
