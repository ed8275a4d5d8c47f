import { createRootRoute, createRoute, createRouter, stringifySearchWith } from '@tanstack/react-router';
import { AuditAction, type ListAuditEventsData } from './api/generated/types.gen';
import { AuditPage } from './audit/audit-page';
import { fromInput } from './components/time';
import { type KeyFilter, keyFilters } from './keys/key-rules';
import { KeysPage } from './keys/key-list';
import { NotFound, Shell } from './layout/shell';
import { OrganizationPage } from './organizations/organization-page';
import { OrganizationsPage } from './organizations/organizations-page';
import { OverviewPage } from './overview/overview-page';
import { texts } from './texts';

type Search = Record<string, unknown>;
type Tab = keyof typeof texts.organization.tabs;
export type AuditSearch = Omit<NonNullable<ListAuditEventsData['query']>, 'cursor' | 'limit'>;

const tabs = Object.keys(texts.organization.tabs) as Tab[];

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find((name) => name === value);

function pageNumber(value: unknown): number | undefined {
  const page = Number(value);
  return Number.isSafeInteger(page) && page > 1 ? page : undefined;
}

export interface ListSearch {
  page?: number;
  search?: string;
  filter?: KeyFilter;
  tab?: Tab;
}

/** Reads what lists keep in the URL; anything invalid is left out. */
const listSearch = ({ page, search, filter, tab }: Search): ListSearch => ({
  page: pageNumber(page),
  search: text(search),
  filter: oneOf(keyFilters, filter),
  tab: oneOf(tabs, tab),
});

const auditSearch = ({ organizationId, actorId, action, from, to }: Search): AuditSearch => ({
  organizationId: text(organizationId),
  actorId: text(actorId),
  action: oneOf(Object.values(AuditAction), action),
  from: fromInput(text(from)),
  to: fromInput(text(to)),
});

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const getParentRoute = () => root;
const lists = { getParentRoute, validateSearch: listSearch };

const overview = createRoute({ getParentRoute, path: '/', component: OverviewPage });
const organizations = createRoute({ ...lists, path: '/organizations', component: OrganizationsPage });
const organization = createRoute({ ...lists, path: '/organizations/$organizationId', component: OrganizationPage });
const keys = createRoute({ ...lists, path: '/keys', component: KeysPage });
const audit = createRoute({ getParentRoute, path: '/audit', component: AuditPage, validateSearch: auditSearch });

export const router = createRouter({
  routeTree: root.addChildren([overview, organizations, organization, keys, audit]),
  basepath: '/console',
  // The router's default would read an ID of digits only as a number.
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch: stringifySearchWith(String),
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
