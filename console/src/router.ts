import { createRootRoute, createRoute, createRouter, stringifySearchWith } from '@tanstack/react-router';
import { AccountPage } from './account/account-page';
import { AuditPage } from './audit/audit-page';
import { KeysPage } from './keys/key-list';
import { KeyPage } from './keys/key-page';
import { NotFound, Shell } from './layout/shell';
import { OrganizationPage } from './organizations/organization-page';
import { OrganizationsPage } from './organizations/organizations-page';
import { OverviewPage } from './overview/overview-page';
import { auditSearch, endpointSearch, listSearch, seasonSearch, webhooksSearch } from './search';
import { SeasonPage } from './seasons/season-page';
import { SuperAdminsPage } from './super-admins/super-admins-page';
import { EndpointPage } from './webhooks/endpoint-page';
import { WebhooksPage } from './webhooks/webhooks-page';

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
const key = createRoute({ getParentRoute, path: '/keys/$keyId', component: KeyPage });
const webhooks = createRoute({
  getParentRoute,
  path: '/webhooks',
  component: WebhooksPage,
  validateSearch: webhooksSearch,
});
const endpoint = createRoute({
  getParentRoute,
  path: '/webhooks/$endpointId',
  component: EndpointPage,
  validateSearch: endpointSearch,
});
const superAdmins = createRoute({ ...lists, path: '/super-admins', component: SuperAdminsPage });
const audit = createRoute({ getParentRoute, path: '/audit', component: AuditPage, validateSearch: auditSearch });
const account = createRoute({ getParentRoute, path: '/account', component: AccountPage });

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    organizations,
    organization,
    season,
    keys,
    key,
    webhooks,
    endpoint,
    superAdmins,
    audit,
    account,
  ]),
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
