import { createRootRoute, createRoute, createRouter, stringifySearchWith } from '@tanstack/react-router';
import { AccountPage } from './account/account-page';
import { basePath } from './api/base-path';
import { AuditPage } from './audit/audit-page';
import { FailedRequestsPage } from './failed-requests/failed-requests-page';
import { KeysPage } from './keys/key-list';
import { KeyPage } from './keys/key-page';
import { NotFound, Shell } from './layout/shell';
import { OrganizationPage } from './organizations/organization-page';
import { OrganizationsPage } from './organizations/organizations-page';
import { OverviewPage } from './overview/overview-page';
import { auditSearch, endpointSearch, failedSearch, listSearch, seasonSearch, webhooksSearch } from './search';
import { SeasonPage } from './seasons/season-page';
import { SuperAdminsPage } from './super-admins/super-admins-page';
import { WebhooksPage } from './webhooks/endpoint-list';
import { EndpointPage } from './webhooks/endpoint-page';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const getParentRoute = () => root;
const list = { getParentRoute, validateSearch: listSearch };

const routes = [
  createRoute({ getParentRoute, path: '/', component: OverviewPage }),
  createRoute({ ...list, path: '/organizations', component: OrganizationsPage }),
  createRoute({ ...list, path: '/organizations/$organizationId', component: OrganizationPage }),
  createRoute({
    getParentRoute,
    path: '/organizations/$organizationId/seasons/$seasonId',
    component: SeasonPage,
    validateSearch: seasonSearch,
  }),
  createRoute({ ...list, path: '/keys', component: KeysPage }),
  createRoute({ getParentRoute, path: '/keys/$keyId', component: KeyPage }),
  createRoute({ getParentRoute, path: '/webhooks', component: WebhooksPage, validateSearch: webhooksSearch }),
  createRoute({
    getParentRoute,
    path: '/webhooks/$endpointId',
    component: EndpointPage,
    validateSearch: endpointSearch,
  }),
  createRoute({
    getParentRoute,
    path: '/failed-requests',
    component: FailedRequestsPage,
    validateSearch: failedSearch,
  }),
  createRoute({ ...list, path: '/super-admins', component: SuperAdminsPage }),
  createRoute({ getParentRoute, path: '/audit', component: AuditPage, validateSearch: auditSearch }),
  createRoute({ getParentRoute, path: '/account', component: AccountPage }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: `${basePath}/console`,
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
