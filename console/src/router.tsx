import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { AuditPage } from './audit/audit-page';
import { KeysPage } from './keys/keys-page';
import { NotFound } from './layout/not-found';
import { Shell } from './layout/shell';
import { OrganizationPage } from './organizations/organization-page';
import { OrganizationsPage } from './organizations/organizations-page';
import { OverviewPage } from './overview/overview-page';
import { auditSearch, listSearch, parseSearch, stringifySearch } from './search';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const getParentRoute = () => root;

const overview = createRoute({ getParentRoute, path: '/', component: OverviewPage });
const organizations = createRoute({
  getParentRoute,
  path: '/organizations',
  component: OrganizationsPage,
  validateSearch: listSearch,
});
const organization = createRoute({
  getParentRoute,
  path: '/organizations/$organizationId',
  component: OrganizationPage,
  validateSearch: listSearch,
});
const keys = createRoute({ getParentRoute, path: '/keys', component: KeysPage, validateSearch: listSearch });
const audit = createRoute({ getParentRoute, path: '/audit', component: AuditPage, validateSearch: auditSearch });

export const router = createRouter({
  routeTree: root.addChildren([overview, organizations, organization, keys, audit]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
