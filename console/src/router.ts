import { createRootRoute, createRoute, createRouter, stringifySearchWith } from '@tanstack/react-router';
import { AuditPage } from './audit/audit-page';
import { KeysPage } from './keys/key-list';
import { NotFound, Shell } from './layout/shell';
import { OrganizationPage } from './organizations/organization-page';
import { OrganizationsPage } from './organizations/organizations-page';
import { OverviewPage } from './overview/overview-page';
import { auditSearch, listSearch, seasonSearch } from './search';
import { SeasonPage } from './seasons/season-page';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const getParentRoute = () => root;
const lists = { getParentRoute, validateSearch: listSearch };

const overview = createRoute({ getParentRoute, path: '/', component: OverviewPage });
const organizations = createRoute({ ...lists, path: '/organizations', component: OrganizationsPage });
const organization = createRoute({ ...lists, path: '/organizations/$organizationId', component: OrganizationPage });
const season = createRoute({
  getParentRoute,
  path: '/organizations/$organizationId/seasons/$seasonId',
  component: SeasonPage,
  validateSearch: seasonSearch,
});
const keys = createRoute({ ...lists, path: '/keys', component: KeysPage });
const audit = createRoute({ getParentRoute, path: '/audit', component: AuditPage, validateSearch: auditSearch });

export const router = createRouter({
  routeTree: root.addChildren([overview, organizations, organization, season, keys, audit]),
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
