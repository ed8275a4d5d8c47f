import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getApiKeyQuery, listApiKeysQuery } from '../api/generated/@tanstack/react-query.gen';
import type { ApiKeyResponse } from '../api/generated/types.gen';
import { SearchSelect } from '../components/filters';
import { useFilters } from '../search';

const labelOf = ({ name, keyPrefix }: ApiKeyResponse) => `${name} (${keyPrefix}…)`;

/** Filters a list by a key, which is searched by name or prefix, in the organization that is chosen. */
export function KeyFilter() {
  const { filters, change } = useFilters();
  const { apiKeyId: value = null, organizationId } = filters;
  const [search, setSearch] = useState<string>();
  const selected = useQuery({ ...getApiKeyQuery({ path: { id: value ?? '' } }), enabled: value !== null }).data?.data;
  const found = useQuery(listApiKeysQuery({ query: { limit: 20, search, organizationId } }));
  const labels = new Map(found.data?.data.map((apiKey) => [apiKey.id, labelOf(apiKey)]));
  if (value !== null) labels.set(value, selected ? labelOf(selected) : value);
  return (
    <SearchSelect
      label="Key"
      placeholder="All keys"
      labels={labels}
      value={value}
      onSearch={setSearch}
      onChange={(apiKeyId) => change({ apiKeyId: apiKeyId ?? undefined })}
      failure={found.error}
      clearable
    />
  );
}
